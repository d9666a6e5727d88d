package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// firstWithoutBatches is the protocol version that took batches out.
const firstWithoutBatches = "2025-06-18"

// batch is an array of messages of a client older than that; the answers go back
// as one array. A nil batch stands for a single message.
type batch struct {
	left    int
	answers [][]byte
}

// answer takes one answer in, nil for none. It returns the array when it is
// complete and has any answer.
func (b *batch) answer(text []byte) []byte {
	if b == nil {
		return text
	}
	if text != nil {
		b.answers = append(b.answers, text)
	}
	if b.left--; b.left > 0 || len(b.answers) == 0 {
		return nil
	}
	return append(append([]byte("["), bytes.Join(b.answers, []byte(","))...), ']')
}

// acceptBatch takes in an array of messages.
func (c *conn) acceptBatch(text []byte) {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	var parts []json.RawMessage
	switch err := json.Unmarshal(text, &parts); {
	case err != nil:
		_ = c.send(failure(nil, jsonrpc.CodeParseError, "parse error: "+err.Error()))
		return
	case version >= firstWithoutBatches:
		_ = c.send(failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: protocol version "+version+" has no batches; send one message a line"))
		return
	case len(parts) == 0:
		_ = c.send(failure(nil, jsonrpc.CodeInvalidRequest, "invalid request: the batch is empty"))
		return
	}
	b := &batch{left: 1} // held open until every part has been admitted
	for _, part := range parts {
		msg, refusal := c.admit(part, b)
		if refusal != nil {
			b.answers = append(b.answers, refusal)
		}
		if msg != nil {
			c.ready = append(c.ready, msg)
		}
	}
	c.mu.Lock()
	answer := b.answer(nil)
	c.mu.Unlock()
	if answer != nil {
		_ = c.send(answer)
	}
}
