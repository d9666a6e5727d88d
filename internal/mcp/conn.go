package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxWaiting is how many calls may wait for their turn before reading pauses.
const maxWaiting = 1000

// maxReaders is how many calls that only read run at the same time.
const maxReaders = 16

// conn is the SDK's connection over lines of JSON. The SDK ends a connection
// whose Read fails, so Read fails at the end of the input only.
type conn struct {
	lines  chan line
	out    io.Writer
	change chan struct{} // capacity 1: a call was answered
	closed chan struct{}
	once   sync.Once

	writing sync.Mutex  // of out
	gone    atomic.Bool // nobody reads what is written

	mu      sync.Mutex
	calls   map[jsonrpc.ID]*call // handed to the SDK, not answered
	ready   []jsonrpc.Message    // of a batch, to be handled at once
	waiting []*call              // tools/call, in the order of arrival
	running int                  // tools/call in calls
	writer  bool                 // one of them writes; then it is the only one
	ended   bool                 // no more lines
	// What a line may be depends on the version that initialize agrees on.
	initializing bool
	version      string // that initialize agreed on; "" before and without it
}

type line struct {
	text []byte
	err  error
}

// call is a request that has not been answered.
type call struct {
	msg       *jsonrpc.Request
	tool      bool
	writes    bool
	cancelled bool
	batch     *batch // nil for a single message
}

func newConn(in io.Reader, out io.Writer) *conn {
	c := &conn{
		lines:  make(chan line),
		out:    out,
		change: make(chan struct{}, 1),
		closed: make(chan struct{}),
		calls:  map[jsonrpc.ID]*call{},
	}
	go c.readLines(in)
	return c
}

// Connect implements the SDK's Transport.
func (c *conn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements the SDK's Connection: a pair of streams has one session.
func (c *conn) SessionID() string { return "" }

// Close makes Read return. It does not close the streams.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// readLines hands over lines until the input ends. It may outlive the connection:
// a read of standard input cannot be interrupted.
func (c *conn) readLines(in io.Reader) {
	defer close(c.lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readLine(r, maxLine)
		if err != nil && !errors.Is(err, errTooLong) {
			return
		}
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
	}
}

// Read returns the next message that may be handled now. At the end of the input
// it waits until every call has its answer, and then returns io.EOF.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		next, lines, done := c.turn()
		if next != nil {
			return next, nil
		}
		if done {
			return nil, io.EOF
		}
		select {
		case l, ok := <-lines:
			if !ok {
				c.mu.Lock()
				c.ended = true
				c.mu.Unlock()
				continue
			}
			if msg := c.accept(l); msg != nil {
				return msg, nil
			}
		case <-c.change:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// turn gives the first waiting call if it may run now; else the lines to read
// from, nil while too much waits; done when nothing more will come.
func (c *conn) turn() (next jsonrpc.Message, lines chan line, done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) > 0 {
		next, c.ready = c.ready[0], c.ready[1:]
		return next, nil, false
	}
	if len(c.waiting) > 0 {
		first := c.waiting[0]
		if !c.writer && (c.running == 0 || !first.writes && c.running < maxReaders) {
			c.waiting = c.waiting[1:]
			c.start(first)
			return first.msg, nil, false
		}
	}
	if c.ended {
		return nil, nil, len(c.waiting) == 0 && !c.busy()
	}
	if len(c.waiting) >= maxWaiting || c.initializing {
		return nil, nil, false
	}
	return nil, c.lines, false
}

// busy: a call will be answered yet. A subscription has no answer to wait for.
func (c *conn) busy() bool {
	for _, running := range c.calls {
		if running.msg.Method != "subscriptions/listen" {
			return true
		}
	}
	return false
}

func (c *conn) start(k *call) {
	c.calls[k.msg.ID] = k
	c.initializing = c.initializing || k.msg.Method == "initialize"
	if k.tool {
		c.running++
		c.writer = k.writes
	}
}

// accept takes one line in. It returns the message if that may be handled at once.
func (c *conn) accept(l line) jsonrpc.Message {
	text := bytes.TrimSpace(l.text)
	err := l.err
	if err == nil {
		if len(text) == 0 {
			return nil
		}
		err = checkJSON(text)
	}
	switch {
	case err != nil:
		_ = c.send(failure(nil, jsonrpc.CodeParseError, "parse error: "+err.Error()))
		return nil
	case text[0] == '[':
		c.acceptBatch(text)
		return nil
	}
	msg, refusal := c.admit(text, nil)
	if refusal != nil {
		_ = c.send(refusal)
	}
	return msg
}

// admit decides what becomes of a message: it is handled at once (returned), it
// waits for its turn, it needs no handling, or it is refused.
func (c *conn) admit(text []byte, b *batch) (jsonrpc.Message, []byte) {
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, failure(idOf(text), jsonrpc.CodeInvalidRequest, "invalid request: "+err.Error())
	}
	if resp, ok := msg.(*jsonrpc.Response); ok && resp.Result == nil && resp.Error == nil {
		return nil, failure(idOf(text), jsonrpc.CodeInvalidRequest, "invalid request: it has no method")
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return msg, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.IsCall() {
		if req.Method == "notifications/cancelled" && c.cancel(req.Params) {
			return nil, nil
		}
		return req, nil
	}
	if id := idOf(text); len(id) == 0 || id[0] != '"' && string(id) != fmt.Sprint(req.ID.Raw()) {
		return nil, failure(id, jsonrpc.CodeInvalidRequest, "invalid request: an id is a string or a whole number below 2^53")
	}
	if c.inUse(req.ID) {
		return nil, failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: this id is that of a request which has not been answered yet")
	}
	k := &call{msg: req, batch: b}
	if b != nil {
		b.left++
	}
	if req.Method == "tools/call" {
		k.tool, k.writes = true, writes(req.Params)
		c.waiting = append(c.waiting, k)
		return nil, nil
	}
	c.start(k)
	return req, nil
}

func (c *conn) inUse(id jsonrpc.ID) bool {
	return c.calls[id] != nil || slices.ContainsFunc(c.waiting, func(k *call) bool { return k.msg.ID == id })
}

// cancel takes a call out that has not begun; for one that has, it only notes
// that the answer is unwanted. It reports whether that is all there is to do.
func (c *conn) cancel(params json.RawMessage) bool {
	var p struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return true
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	if err != nil {
		return true
	}
	if k := c.calls[id]; k != nil {
		k.cancelled = k.msg.Method != "initialize"
		return false
	}
	for i, k := range c.waiting {
		if k.msg.ID == id {
			c.waiting = slices.Delete(c.waiting, i, i+1)
			if text := k.batch.answer(nil); text != nil {
				_ = c.send(text)
			}
			break
		}
	}
	return true
}

// Write sends an answer or a notification.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if ok {
		resp.Error = coded(resp.Error)
	}
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if ok {
		defer c.wake()
		if text = c.finish(resp, text); text == nil {
			return nil
		}
	}
	return c.send(text)
}

// finish takes an answered call off the books. It returns what to send now: the
// answer, the batch that it completes, or nil.
func (c *conn) finish(resp *jsonrpc.Response, text []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[resp.ID]
	if k == nil {
		return text
	}
	delete(c.calls, resp.ID)
	if k.tool {
		c.running--
		c.writer = false
	}
	if k.msg.Method == "initialize" {
		c.initializing = false
		var agreed struct {
			Version string `json:"protocolVersion"`
		}
		if json.Unmarshal(resp.Result, &agreed) == nil {
			c.version = agreed.Version
		}
	}
	if k.cancelled {
		text = nil
	}
	if k.batch != nil {
		text = k.batch.answer(text)
	}
	return text
}

// send writes one line.
func (c *conn) send(text []byte) error {
	c.writing.Lock()
	_, err := c.out.Write(append(text, '\n'))
	c.writing.Unlock()
	if err != nil {
		c.gone.Store(true)
	}
	return err
}

// wake lets Read look again: a call has been answered.
func (c *conn) wake() {
	select {
	case c.change <- struct{}{}:
	default:
	}
}

// writes tells whether a tools/call changes the memory.
func writes(params json.RawMessage) bool {
	var p struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(params, &p) != nil {
		return false
	}
	return slices.Contains([]string{"store", "batch", "edit"}, p.Name)
}

// coded gives an error of the SDK that has no code one: JSON-RPC has no code 0.
func coded(err error) error {
	if err == nil {
		return nil
	}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// failure is an answer that the SDK does not give. A nil id is null.
func failure(id json.RawMessage, code int, message string) []byte {
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": message},
	})
	if err != nil {
		panic(err) // valid JSON, a string and an int always marshal
	}
	return text
}

// idOf is the id of a message that is no request, nil if it has none.
func idOf(text []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(text, &m) != nil || len(m.ID) == 0 || m.ID[0] == '{' || m.ID[0] == '[' {
		return nil
	}
	return m.ID
}
