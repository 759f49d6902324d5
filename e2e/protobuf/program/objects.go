package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// writeObjects writes random objects of every kind: apiVersion, kind, protobuf in base64, JSON. The JSON is that of
// the object that Go decodes from the protobuf.
func writeObjects(out *bufio.Writer, scheme *runtime.Scheme, count int, seed int64) error {
	codecs := serializer.NewCodecFactory(scheme)
	random := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(seed), codecs)
	for _, kind := range kindsOf(scheme) {
		if kind.Kind == "WatchEvent" {
			continue // It is no object with a kind, and protobuf cannot encode it as one.
		}
		for range count {
			object, err := scheme.New(kind)
			if err != nil {
				return err
			}
			random.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(kind)
			encoded, text, err := bothForms(scheme, object)
			if err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			fmt.Fprintf(out, "%s %s %s %s\n", kind.GroupVersion(), kind.Kind, base64.StdEncoding.EncodeToString(encoded), text)
		}
	}
	return nil
}

// bothForms returns an object as protobuf, and the JSON of what Go decodes from that.
func bothForms(scheme *runtime.Scheme, object runtime.Object) ([]byte, []byte, error) {
	format := protobuf.NewSerializer(scheme, scheme)
	encoded := &bytes.Buffer{}
	if err := format.Encode(object, encoded); err != nil {
		return nil, nil, err
	}
	kind := object.GetObjectKind().GroupVersionKind()
	decoded, _, err := format.Decode(encoded.Bytes(), &kind, nil)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(decoded)
	return encoded.Bytes(), text, err
}
