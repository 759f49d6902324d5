// The program judge answers with Kubernetes' own packages what kube-apiserver decides. It reads one request per line of
// standard input and writes one response per line of standard output, in the same order.
//
//	{"op": "definition", "input": {…}}  ->  {"output": {…}} or {"failure": "…"}
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	"k8s.io/klog/v2"
)

// An operation decides one question. An error is a fault of the question, not a decision.
type operation func(input json.RawMessage) (any, error)

// Each operation has a file of its name.
var operations = map[string]operation{
	"cel":        decideCel,
	"definition": decideDefinition,
	"object":     decideObject,
}

type request struct {
	Op    string          `json:"op"`
	Input json.RawMessage `json:"input"`
}

type response struct {
	Output  any    `json:"output,omitempty"`
	Failure string `json:"failure,omitempty"`
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(discard{})
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if err := encoder.Encode(respond(line)); err != nil {
			// A decision that JSON cannot hold must not end the program.
			_ = encoder.Encode(response{Failure: err.Error()})
		}
		if lines.Buffered() == 0 {
			if out.Flush() != nil {
				return
			}
		}
	}
}

// Responds to one line. A panic of Kubernetes' packages is a failure of this request only.
func respond(line []byte) (result response) {
	defer func() {
		if cause := recover(); cause != nil {
			result = response{Failure: fmt.Sprintf("panic: %v\n%s", cause, debug.Stack())}
		}
	}()
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return response{Failure: err.Error()}
	}
	decide, ok := operations[asked.Op]
	if !ok {
		return response{Failure: "unknown operation " + asked.Op}
	}
	output, err := decide(asked.Input)
	if err != nil {
		return response{Failure: err.Error()}
	}
	return response{Output: output}
}

type discard struct{}

func (discard) Write(bytes []byte) (int, error) { return len(bytes), nil }
