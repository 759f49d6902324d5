package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"sync"
)

// fields is one line of the report.
type fields map[string]any

// report writes JSON lines, one at a time, in the order of the calls.
type report struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func newReport(out io.Writer) *report {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &report{encoder: encoder}
}

func (r *report) write(line fields) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	// A reader that is gone ends this process through standard input.
	_ = r.encoder.Encode(line)
}

// readLines passes lines on until the input ends, then cancels.
func readLines(in io.Reader, cancel context.CancelFunc) <-chan string {
	lines := make(chan string)
	go func() {
		defer cancel()
		defer close(lines)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}
