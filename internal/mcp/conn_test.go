package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb"
)

func TestReadLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []string // "!" stands for a line that is too long
	}{
		"two":           {"ab\ncd\n", []string{"ab", "cd"}},
		"no newline":    {"ab\ncd", []string{"ab", "cd"}},
		"empty lines":   {"\n\nab\n", []string{"", "", "ab"}},
		"just fits":     {strings.Repeat("x", 100) + "\nab\n", []string{strings.Repeat("x", 100), "ab"}},
		"too long":      {strings.Repeat("x", 101) + "\nab\n", []string{"!", "ab"}},
		"far too long":  {strings.Repeat("x", 5000) + "\nab\n", []string{"!", "ab"}},
		"too long, end": {"ab\n" + strings.Repeat("x", 5000), []string{"ab", "!"}},
		"nothing":       {"", nil},
	} {
		r := bufio.NewReaderSize(strings.NewReader(c.in), 16)
		var got []string
		for {
			line, err := readLine(r, 100)
			if errors.Is(err, io.EOF) {
				break
			}
			if errors.Is(err, errTooLong) {
				line = []byte("!")
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, string(line))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// exchange gives a server some lines and returns its answers, by id and in order.
func exchange(t *testing.T, m *kb.Memory, in string) (byID map[string]answerLine, all []answerLine) {
	t.Helper()
	var out bytes.Buffer
	err := Serve(t.Context(), Options{Memory: m, Version: "test", In: strings.NewReader(in), Out: &out})
	if err != nil {
		t.Fatalf("Serve: %v", err)
	}
	return answers(t, out.String())
}

type answerLine struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int
		Message string
	}
}

func answers(t *testing.T, out string) (byID map[string]answerLine, all []answerLine) {
	t.Helper()
	byID = map[string]answerLine{}
	for line := range strings.Lines(out) {
		var batch []answerLine
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "[") {
			text = "[" + text + "]"
		}
		if err := json.Unmarshal([]byte(text), &batch); err != nil {
			t.Fatalf("an answer is not JSON: %v\n%s", err, line)
		}
		for _, a := range batch {
			if a.Version != "2.0" {
				t.Errorf("not JSON-RPC 2.0: %s", line)
			}
			all = append(all, a)
			byID[string(a.ID)] = a
		}
	}
	return byID, all
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

func callLine(id int, tool, args string) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + "}}\n"
}

func TestBadLines(t *testing.T) {
	t.Parallel()
	ping := `{"jsonrpc":"2.0","id":"after","method":"ping"}` + "\n"
	for name, c := range map[string]struct {
		line string
		code int
		id   string // null if empty
	}{
		"not JSON":          {"hello", -32700, ""},
		"half":              {`{"jsonrpc":"2.0","id":1`, -32700, ""},
		"two on a line":     {`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, -32700, ""},
		"not UTF-8":         {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\xff\"}", -32700, ""},
		"NUL":               {"\x00", -32700, ""},
		"deep":              {strings.Repeat("[", 300) + strings.Repeat("]", 300), -32700, ""},
		"very deep":         {`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 2_000_000), -32700, ""},
		"too long":          {strings.Repeat("x", maxLine+1), -32700, ""},
		"a string":          {`"ping"`, -32600, ""},
		"an empty object":   {`{}`, -32600, ""},
		"other version":     {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, "7"},
		"id is an object":   {`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, -32600, ""},
		"id is a fraction":  {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "1.5"},
		"id is too large":   {`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, -32600, "12345678901234567890"},
		"method a number":   {`{"jsonrpc":"2.0","id":7,"method":5}`, -32600, "7"},
		"no method":         {`{"jsonrpc":"2.0","id":7}`, -32600, "7"},
		"batch":             {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, -32600, ""},
		"empty batch":       {`[]`, -32600, ""},
		"unknown method":    {`{"jsonrpc":"2.0","id":7,"method":"nope"}`, -32601, "7"},
		"params an array":   {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}`, -32602, "7"},
		"no params":         {`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, -32600, "7"},
		"unknown tool":      {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}`, -32602, "7"},
		"id has two quotes": {`{"jsonrpc":"2.0","id":"a\"b","method":"nope"}`, -32601, `"a\"b"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			byID, all := exchange(t, kb.Open(t.TempDir()), initialize("2025-06-18")+c.line+"\n"+ping)
			if len(all) != 3 {
				t.Errorf("%d answers, want 3", len(all))
			}
			if byID[`"after"`].Result == nil {
				t.Fatalf("the server did not go on: %+v", all)
			}
			if c.id == "" {
				c.id = "null"
			}
			got := byID[c.id]
			if got.Error == nil || got.Error.Code != c.code {
				t.Errorf("got %+v of %+v, want code %d for id %s", got.Error, all, c.code, c.id)
			}
		})
	}
}

func TestLinesThatNeedNoAnswer(t *testing.T) {
	t.Parallel()
	in := initialize("2025-06-18") + "\n  \n\r\n" +
		`{"jsonrpc":"2.0","method":"notifications/none"}` + "\n" +
		`{"jsonrpc":"2.0","id":99,"result":{}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}` + "\n" +
		`{"jsonrpc":"2.0","id":"after","method":"ping"}` // and no newline
	byID, all := exchange(t, kb.Open(t.TempDir()), in)
	if len(all) != 2 || byID[`"after"`].Result == nil {
		t.Errorf("got %+v", all)
	}
}

func TestBatchesWhereTheyExist(t *testing.T) {
	t.Parallel()
	in := initialize("2025-03-26") +
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/none"},7,` +
		strings.TrimSpace(callLine(2, "store", `{"topic":"a","text":"one"}`)) + `,` +
		strings.TrimSpace(callLine(3, "read", `{"topic":"a"}`)) + `]` + "\n"
	var out bytes.Buffer
	if err := Serve(t.Context(), Options{Memory: kb.Open(t.TempDir()), In: strings.NewReader(in), Out: &out}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d lines, want the answer to initialize and one array:\n%s", n, out.String())
	}
	byID, all := answers(t, out.String())
	if len(all) != 5 || byID["1"].Result == nil || byID["2"].Result == nil || byID["null"].Error == nil ||
		!strings.Contains(string(byID["3"].Result), "one") {
		t.Errorf("got %s", out.String())
	}
}

// TestOrder: what is sent without waiting is done in that order where it matters.
func TestOrder(t *testing.T) {
	t.Parallel()
	in := initialize("2025-11-25")
	const n = 30
	for i := range n {
		in += callLine(2*i, "store", `{"topic":"a","text":"entry number `+strconv.Itoa(i)+`","force":true}`)
		in += callLine(2*i+1, "topics", `{"action":"entries","topic":"a"}`)
	}
	byID, _ := exchange(t, kb.Open(t.TempDir()), in)
	for i := range n {
		want := `"entries":` + strconv.Itoa(i+1) + ","
		if got := string(byID[strconv.Itoa(2*i+1)].Result); !strings.Contains(got, want) {
			t.Fatalf("after %d stores: no %s in %s", i+1, want, got)
		}
	}
}

// slow is a tool that says when it has begun and works until it is cancelled.
func slow(begun chan<- struct{}, ended chan<- error) *tool {
	return &tool{
		name: "slow", input: input(str("action", "")), output: output[kb.Stored](),
		run: func(ctx context.Context, _ *kb.Memory, _ json.RawMessage) (result, error) {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	}
}

// session is a server to which lines are written one by one.
type session struct {
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func start(t *testing.T, ctx context.Context, extra ...*tool) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{in: inW, out: bufio.NewScanner(outR), end: make(chan error, 1)}
	m := kb.Open(t.TempDir())
	c := newConn(inR, outW)
	server := newServer(ctx, m, "test", slog.New(slog.DiscardHandler), append(tools(), extra...))
	go func() {
		s.end <- server.Run(ctx, c)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close(); m.Close() })
	s.send(t, initialize("2025-11-25"))
	s.next(t)
	return s
}

func (s *session) send(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(s.in, lines); err != nil {
		t.Fatal(err)
	}
}

func (s *session) next(t *testing.T) answerLine {
	t.Helper()
	if !s.out.Scan() {
		t.Fatalf("the server has ended: %v", s.out.Err())
	}
	_, all := answers(t, s.out.Text())
	return all[0]
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	s := start(t, t.Context(), slow(begun, ended))
	s.send(t, callLine(1, "slow", "{}"))
	<-begun
	// A write has to wait for the slow call; cancelled while it waits, it never runs.
	s.send(t, callLine(2, "store", `{"topic":"a","text":"never"}`))
	s.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`+"\n")
	s.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	<-ended
	s.send(t, callLine(3, "topics", "{}"))
	got := s.next(t)
	if string(got.ID) != "3" || !strings.Contains(string(got.Result), `"entries":0`) {
		t.Errorf("the next answer is %+v %s, want that to 3, with no entries", got.ID, got.Result)
	}
}

func TestSameIDTwice(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	s := start(t, t.Context(), slow(begun, ended))
	s.send(t, callLine(1, "slow", "{}"))
	<-begun
	s.send(t, callLine(1, "topics", "{}"))
	if got := s.next(t); string(got.ID) != "null" || got.Error == nil || got.Error.Code != -32600 {
		t.Errorf("got %s %+v", got.ID, got.Error)
	}
	s.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	<-ended
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := start(t, t.Context())
	s.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"topics","arguments":{"action":"graph"},"_meta":{"progressToken":"tok"}}}`+"\n")
	if got := s.next(t); got.Method != "notifications/progress" || !strings.Contains(string(got.Params), `"progress":0`) || !strings.Contains(string(got.Params), `"tok"`) {
		t.Errorf("first comes %+v, want progress", got)
	}
	if got := s.next(t); string(got.ID) != "1" || got.Result == nil {
		t.Errorf("then comes %+v, want the answer", got)
	}
}

// TestPanic: a call that panics is answered, and the server goes on.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := start(t, t.Context(), &tool{
		name: "bad", input: input(), output: output[kb.Stored](),
		run: func(context.Context, *kb.Memory, json.RawMessage) (result, error) { panic("oh") },
	})
	s.send(t, callLine(1, "bad", "{}"))
	if got := string(s.next(t).Result); !strings.Contains(got, "bad: internal error: oh") || !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s", got)
	}
	s.send(t, callLine(2, "topics", "{}"))
	if got := s.next(t); got.Result == nil {
		t.Errorf("got %+v", got)
	}
}

// TestStop: the end of the server's context ends what is at work.
func TestStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error, 1)
	s := start(t, ctx, slow(begun, ended))
	s.send(t, callLine(1, "slow", "{}"))
	<-begun
	cancel()
	<-ended
	for s.out.Scan() { // takes what is still written
	}
	<-s.end
}

// TestClientGone: a client that does not read any more is an orderly end.
func TestClientGone(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	outR.Close()
	end := make(chan error, 1)
	go func() { end <- Serve(t.Context(), Options{Memory: kb.Open(t.TempDir()), In: inR, Out: outW}) }()
	if _, err := io.WriteString(inW, initialize("2025-06-18")); err != nil {
		t.Log(err)
	}
	if err := <-end; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func FuzzConn(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "{}", "[]", "[1,{}]", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		initialize("2024-11-05") + `[` + strings.TrimSpace(callLine(1, "topics", "{}")) + `,` + strings.TrimSpace(callLine(1, "topics", "{}")) + `]`,
		initialize("2025-11-25") + callLine(1, "store", `{"topic":5,"text":["a"],"confidence":"x"}`),
		initialize("x") + callLine(1, "topics", `{"action":"entries","index":"-1"}`) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	m := kb.Open(f.TempDir())
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("listen")) { // a subscription has no end
			t.Skip()
		}
		var out bytes.Buffer
		if err := Serve(t.Context(), Options{Memory: m, In: bytes.NewReader(in), Out: &out}); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		answers(t, out.String())
	})
}
