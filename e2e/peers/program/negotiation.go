package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

const (
	table    = "application/json;as=Table;v=v1;g=meta.k8s.io"
	metaList = ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

// runNegotiation requests the same objects in every content type that client-go and kubectl accept, and
// reports the content type of each response.
func runNegotiation(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(job.namespace)
	// kube-apiserver compresses bodies larger than 128 KB.
	for name, size := range map[string]int{"small": 10, "large": 200_000} {
		if _, err := maps.Create(ctx, configMap(name, strings.Repeat("x", size)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	transport, err := rest.HTTPClientFor(job.config)
	if err != nil {
		return err
	}
	all := "/api/v1/namespaces/" + job.namespace + "/configmaps"
	custom := "/apis/" + widgets.String() + "/namespaces/" + job.namespace + "/widgets"
	for _, accept := range []string{
		"application/json", protobuf, "application/yaml", "*/*", "text/plain", "application/cbor",
		protobuf + ",application/json", table, table + ",application/json",
		"application/json" + metaList, protobuf + metaList, "application/json;as=Nonsense;v=v1;g=meta.k8s.io",
	} {
		for _, path := range []string{all, all + "/small", all + "/nowhere", all + "?watch=1", custom, custom + "/nowhere"} {
			if err := negotiate(ctx, job, transport, path, accept, ""); err != nil {
				return err
			}
		}
	}
	for _, path := range []string{all, all + "/small", "/openapi/v2", "/apis"} {
		if err := negotiate(ctx, job, transport, path, "application/json", "gzip"); err != nil {
			return err
		}
	}
	return nil
}

func negotiate(ctx context.Context, job *job, client *http.Client, path, accept, encoding string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, job.config.Host+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", accept)
	if encoding != "" {
		// Set by hand, so that the transport does not hide it.
		request.Header.Set("Accept-Encoding", encoding)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	line := fields{
		"asked": path, "accept": accept, "encoding": encoding,
		"code": response.StatusCode, "type": response.Header.Get("Content-Type"),
		"encoded": response.Header.Get("Content-Encoding"),
	}
	// A watch does not end by itself.
	if response.StatusCode != http.StatusOK || !strings.HasSuffix(path, "?watch=1") {
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		line["kind"] = kindOf(body)
	}
	job.report.write(line)
	return nil
}

// kindOf returns the kind of a body, as far as it is visible without a decoder.
func kindOf(body []byte) string {
	if bytes.HasPrefix(body, []byte("k8s\x00")) {
		return "protobuf"
	}
	var object struct {
		metav1.TypeMeta `json:",inline"`
		Columns         []struct{ Name string } `json:"columnDefinitions"`
		Reason          string
	}
	if json.Unmarshal(body, &object) != nil {
		return ""
	}
	return fmt.Sprint(object.APIVersion, " ", object.Kind, " ", object.Reason, object.Columns)
}
