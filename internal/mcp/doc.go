// Package mcp is the door of the memory for models: a Model Context Protocol
// server with seven tools over a pair of streams.
//
//	err := mcp.Serve(ctx, mcp.Options{Memory: m, Version: "1.0", In: os.Stdin, Out: os.Stdout})
//
// The protocol itself is the SDK's, from 2024-11-05 on; a client may open with
// initialize or with server/discover, so nothing here depends on initialize.
//
//   - conn.go reads and writes the lines. A line that is no message gets an error
//     as its answer and the server goes on; calls that write run alone and in the
//     order of their arrival; the end of the input waits for the answers.
//   - tool.go turns a call into a request to the memory and the result into text
//     and structured content; tools.go lists the tools.
//   - coerce.go takes arguments as models send them ("5" for 5) and names what is
//     wrong in the words of the schema.
//
// What the memory refuses is a result with isError, for the model to read and
// correct; protocol errors are for what is no valid call at all.
package mcp
