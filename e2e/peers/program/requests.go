package main

import (
	"net/http"
	"strings"

	"k8s.io/client-go/transport"
)

// reportRequests reports each list and watch in the scenario's namespace after its response: the
// resourceVersion of the request, the status code and the content type.
func reportRequests(job *job) transport.WrapperFunc {
	within := "/namespaces/" + job.namespace + "/"
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(request)
			if err == nil && request.Method == http.MethodGet && strings.Contains(request.URL.Path, within) {
				job.report.write(requestLine(request, response))
			}
			return response, err
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func requestLine(request *http.Request, response *http.Response) fields {
	query := request.URL.Query()
	verb := "list"
	if query.Has("watch") {
		verb = "watch"
	}
	if query.Get("sendInitialEvents") == "true" {
		verb = "watch-list"
	}
	// A version other than these two differs from server to server.
	version := query.Get("resourceVersion")
	if version != "" && version != "0" {
		version = "known"
	}
	return fields{
		"request": verb, "version": version, "code": response.StatusCode,
		"type": response.Header.Get("Content-Type"),
	}
}
