package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
)

// sentence is one of a comment of the Go standard library.
type sentence struct {
	text string
	file string
	line int // where its comment begins, from 1
}

// library is the sentences by package, the packages with the most of them first.
type library struct {
	packages  []string
	sentences map[string][]sentence
}

// fewestSentences a package must have to be a topic.
const fewestSentences = 20

// readLibrary takes the comments below src apart.
func readLibrary(src string) (*library, error) {
	l := &library{sentences: map[string][]sentence{}}
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := strings.NewReplacer("/", "-", "_", "-").Replace(filepath.ToSlash(rel))
		l.sentences[pkg] = append(l.sentences[pkg], sentencesOf(path, string(text))...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the standard library: %w", err)
	}
	for pkg, all := range l.sentences {
		if len(all) >= fewestSentences {
			l.packages = append(l.packages, pkg)
		}
	}
	sort.Slice(l.packages, func(i, j int) bool {
		a, b := l.packages[i], l.packages[j]
		if n, m := len(l.sentences[a]), len(l.sentences[b]); n != m {
			return n > m
		}
		return a < b
	})
	if len(l.packages) == 0 {
		return nil, fmt.Errorf("%s has no comments: name a Go installation with -goroot", src)
	}
	return l, nil
}

// sentencesOf gives the sentences of the line comments of a file.
func sentencesOf(path, text string) []sentence {
	var all []sentence
	var block []string
	start := 0
	for i, line := range append(strings.Split(text, "\n"), "") {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "//")
		if ok && !strings.HasPrefix(comment, "go:") && !strings.HasPrefix(comment, "line") {
			if len(block) == 0 {
				start = i + 1
			}
			block = append(block, strings.TrimSpace(comment))
			continue
		}
		joined := strings.Join(block, " ")
		block = block[:0]
		if strings.Contains(joined, "Copyright") || strings.Contains(joined, "DO NOT EDIT") {
			continue
		}
		for _, s := range split(joined) {
			if readable(s) {
				all = append(all, sentence{s, path, start})
			}
		}
	}
	return all
}

// split cuts a text after the marks that end sentences.
func split(text string) []string {
	var out []string
	var words []string
	for _, w := range strings.Fields(text) {
		words = append(words, w)
		if strings.ContainsRune(".!?", rune(w[len(w)-1])) {
			out = append(out, strings.Join(words, " "))
			words = words[:0]
		}
	}
	if len(words) > 0 {
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// readable keeps out tables, code and fragments.
func readable(s string) bool {
	words := strings.Count(s, " ") + 1
	if words < 6 || words > 45 || !unicode.IsLetter([]rune(s)[0]) {
		return false
	}
	letters, all := 0, 0
	for _, c := range s {
		all++
		if c == ' ' || unicode.IsLetter(c) {
			letters++
		}
	}
	return 4*letters > 3*all
}

var (
	aspects  = []string{"pitfalls", "design", "speed", "internals", "api", "errors", "testing", "notes", "build", "flow"}
	openings = []string{"gotcha: ", "decision: ", "invariant: ", "perf: ", "how-to: ", "todo: ", "pattern: ", "overview: ", "bug: ", "fix: "}
	tagNames = []string{"api", "architecture", "build", "cache", "compiler", "concurrency", "data-flow", "decision", "error", "gap", "gotcha", "how-to", "invariant", "io", "memory", "network", "parser", "performance", "security", "test"}
)

// record is a line of the import format.
type record struct {
	Topic   string    `json:"topic"`
	Text    string    `json:"text"`
	Tags    []string  `json:"tags,omitempty"`
	Source  string    `json:"source,omitempty"`
	Line    int       `json:"source_line,omitempty"`
	Created time.Time `json:"created"`
}

// corpus is n entries as a project's memory has them: about sqrt(n) topics, few
// of which have much and many little, one to nine sentences each, half of them
// with a source, most with tags, over the last two years. It is the same for the
// same n, seed and library.
type corpus struct {
	lib     *library
	rand    *rand.Rand
	topics  []topic
	weights []float64 // cumulative
	seen    map[string]int
	pool    [][]string // words of some entries, from which queries are made
	share   float64    // of the entries that are in the pool
}

type topic struct{ name, pkg string }

func newCorpus(lib *library, n int, seed uint64) *corpus {
	c := &corpus{lib: lib, rand: rand.New(rand.NewPCG(seed, uint64(n))), seen: map[string]int{}, share: min(1, 3000/float64(n))}
	total := 0.0
	for i := range max(4, int(math.Round(math.Sqrt(float64(n))))) {
		pkg := lib.packages[i%len(lib.packages)]
		name := pkg
		if round := i / len(lib.packages); round > 0 {
			name += "-" + aspects[(round-1)%len(aspects)]
			if round > len(aspects) {
				name += fmt.Sprint(round)
			}
		}
		total += math.Pow(float64(i+1), -0.7)
		c.topics = append(c.topics, topic{name, pkg})
		c.weights = append(c.weights, total)
	}
	return c
}

// end is the time of the newest entry.
var end = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (c *corpus) next() record {
	r := c.rand
	i, _ := slices.BinarySearch(c.weights, r.Float64()*c.weights[len(c.weights)-1])
	t := c.topics[min(i, len(c.topics)-1)]
	all := c.lib.sentences[t.pkg]
	at := r.IntN(len(all))
	source := all[at]
	var body []string
	for k := range pick(r, []int{1, 2, 3, 4, 6, 9}, []int{18, 28, 24, 16, 10, 4}) {
		s := all[(at+k)%len(all)]
		if k > 0 && r.IntN(10) < 3 {
			s = all[r.IntN(len(all))]
		}
		body = append(body, s.text)
	}
	if r.Float64() < 0.35 {
		body[0] = openings[r.IntN(len(openings))] + body[0]
	}
	if r.Float64() < 0.25 {
		pkg := c.lib.packages[r.IntN(len(c.lib.packages))]
		others := c.lib.sentences[pkg]
		body = append(body, "Compare "+strings.ReplaceAll(pkg, "-", "/")+": "+others[r.IntN(len(others))].text)
	}
	between := " "
	if r.Float64() < 0.6 {
		between = "\n"
	}
	age := time.Duration(r.ExpFloat64()*90*24*60) % (720 * 24 * 60) * time.Minute
	out := record{Topic: t.name, Text: strings.Join(body, between), Created: end.Add(-age)}
	for _, k := range r.Perm(len(tagNames))[:pick(r, []int{0, 1, 2, 3}, []int{25, 40, 25, 10})] {
		out.Tags = append(out.Tags, tagNames[k])
	}
	sort.Strings(out.Tags)
	if r.Float64() < 0.45 {
		out.Source, out.Line = source.file, source.line
	}
	c.note(out.Text)
	return out
}

// pick draws one of the values by weight.
func pick(r *rand.Rand, values, weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	n := r.IntN(total)
	for i, w := range weights {
		if n -= w; n < 0 {
			return values[i]
		}
	}
	return values[len(values)-1]
}

var queryWord = regexp.MustCompile(`[a-z]{4,14}`)

// note remembers the words of an entry for the queries.
func (c *corpus) note(text string) {
	words := queryWord.FindAllString(strings.ToLower(text), -1)
	var own []string
	for _, w := range words {
		if !slices.Contains(own, w) {
			own = append(own, w)
			c.seen[w]++
		}
	}
	if c.rand.Float64() < c.share {
		c.pool = append(c.pool, own)
	}
}

// queries gives as many queries of one as of two and of three words, each of
// words that stand together in an entry and are in another one too.
func (c *corpus) queries(each int) []string {
	var out []string
	for n := 1; n <= 3; n++ {
		for len(out) < n*each {
			var words []string
			for _, w := range c.pool[c.rand.IntN(len(c.pool))] {
				if c.seen[w] > 1 {
					words = append(words, w)
				}
			}
			if len(words) < n {
				continue
			}
			at := c.rand.IntN(len(words) - n + 1)
			out = append(out, strings.Join(words[at:at+n], " "))
		}
	}
	return out
}

// lines gives up to n of the next entries as JSONL.
func (c *corpus) lines(n int) ([]byte, error) {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	enc := json.NewEncoder(w)
	for range n {
		if err := enc.Encode(c.next()); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return b.Bytes(), err
}
