package socket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// maxRequest bounds a request, in bytes. What a hook gets may hold a file.
	maxRequest = 4 << 20
	// maxAtOnce bounds the requests that are answered at the same time; further
	// ones wait in the queue of the system.
	maxAtOnce = 16
	// maxWork is how long the answer to one request may take to find.
	maxWork = 2 * time.Second
)

// Serve answers requests until ctx is done, and then lets those that are being
// answered finish. Answer gets a request without its newline.
func (s *Socket) Serve(ctx context.Context, answer func(context.Context, []byte) []byte) {
	stop := context.AfterFunc(ctx, func() { s.listener.Close() })
	defer stop()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, maxAtOnce)
	for {
		slots <- struct{}{}
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no file descriptors left, say: it may pass
			<-slots
			select {
			case <-ctx.Done():
				return
			case <-time.After(patience):
			}
			continue
		}
		running.Go(func() {
			defer func() { <-slots }()
			exchange(ctx, conn, answer)
		})
	}
}

// exchange reads one line, answers it and hangs up. Nobody is told of an error:
// the asker will find the connection closed.
func exchange(ctx context.Context, conn *net.UnixConn, answer func(context.Context, []byte) []byte) {
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	request, err := bufio.NewReader(io.LimitReader(conn, maxRequest)).ReadBytes('\n')
	if err != nil && (!errors.Is(err, io.EOF) || len(request) == 0 || len(request) == maxRequest) {
		request = nil
	}
	ctx, cancel := context.WithTimeout(ctx, maxWork)
	defer cancel()
	var reply []byte
	if request = bytes.TrimSpace(request); len(request) > 0 {
		reply = answer(ctx, request)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(patience))
	_, _ = conn.Write(append(bytes.TrimRight(reply, "\n"), '\n'))
}
