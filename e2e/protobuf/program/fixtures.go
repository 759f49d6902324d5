package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
)

// Fixture is a response in both forms. Go's encoder writes the bytes in base64.
type Fixture struct {
	Name     string            `json:"name"`
	Protobuf []byte            `json:"protobuf"`
	JSON     []json.RawMessage `json:"json"`
}

func writeFixtures(out *bufio.Writer, scheme *runtime.Scheme) error {
	fixtures := []Fixture{}
	for _, object := range samples() {
		encoded, text, err := bothForms(scheme, object)
		if err != nil {
			return err
		}
		if set, isSet := object.(*appsv1.StatefulSet); isSet {
			// As kube-apiserver, which adds the type to its JSON.
			set.Spec.VolumeClaimTemplates[0].TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"}
			text, err = json.Marshal(set)
			if err != nil {
				return err
			}
		}
		name := object.GetObjectKind().GroupVersionKind().Kind
		fixtures = append(fixtures, Fixture{Name: name, Protobuf: encoded, JSON: []json.RawMessage{text}})
	}
	listed, err := listFixture(scheme)
	if err != nil {
		return err
	}
	watched, err := watchFixture(scheme)
	if err != nil {
		return err
	}
	lines := [][]byte{}
	for _, fixture := range append(fixtures, listed, watched) {
		line, err := json.Marshal(fixture)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	_, err = fmt.Fprintf(out, "[\n%s\n]\n", bytes.Join(lines, []byte(",\n")))
	return err
}

// listFixture has two pods, whose items lack their type as those of the server.
func listFixture(scheme *runtime.Scheme) (Fixture, error) {
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "42", Continue: "next", RemainingItemCount: pointerTo(int64(7))},
	}
	for _, name := range []string{"cart-0", "cart-1"} {
		item := pod(name)
		item.TypeMeta = metav1.TypeMeta{}
		list.Items = append(list.Items, *item)
	}
	encoded, text, err := bothForms(scheme, list)
	return Fixture{Name: "list", Protobuf: encoded, JSON: []json.RawMessage{text}}, err
}

// watchFixture has an event of each type, in the frames of the server.
func watchFixture(scheme *runtime.Scheme) (Fixture, error) {
	fixture := Fixture{Name: "watch"}
	stream := &bytes.Buffer{}
	frames := protobuf.LengthDelimitedFramer.NewFrameWriter(stream)
	for _, event := range []watch.Event{
		{Type: watch.Added, Object: pod("cart-0")},
		{Type: watch.Modified, Object: pod("cart-0")},
		{Type: watch.Deleted, Object: pod("cart-0")},
		{Type: watch.Bookmark, Object: bookmark()},
		{Type: watch.Error, Object: status()},
	} {
		encoded, text, err := bothForms(scheme, event.Object)
		if err != nil {
			return fixture, err
		}
		message := &metav1.WatchEvent{Type: string(event.Type), Object: runtime.RawExtension{Raw: encoded}}
		if err := protobuf.NewRawSerializer(scheme, scheme).Encode(message, frames); err != nil {
			return fixture, err
		}
		line, err := json.Marshal(metav1.WatchEvent{Type: string(event.Type), Object: runtime.RawExtension{Raw: text}})
		if err != nil {
			return fixture, err
		}
		fixture.JSON = append(fixture.JSON, line)
	}
	fixture.Protobuf = stream.Bytes()
	return fixture, nil
}

func bookmark() *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: "43",
			Annotations:     map[string]string{"k8s.io/initial-events-end": "true"},
		},
	}
}
