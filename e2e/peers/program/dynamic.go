package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	metaconfig "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
)

// runDynamic makes the calls of programs without Go types: with the dynamic client and the metadata
// client, on a custom resource. It reports each response and each warning.
func runDynamic(ctx context.Context, job *job) error {
	warned := &warnings{}
	job.config.WarningHandlerWithContext = warned
	client, err := dynamic.NewForConfig(job.config)
	if err != nil {
		return err
	}
	scenario := &dynamicScenario{
		ctx: ctx, report: job.report, warned: warned,
		widgets: client.Resource(widgets.WithResource("widgets")).Namespace(job.namespace),
	}
	scenario.write()
	scenario.apply()
	if err := scenario.extract(job); err != nil {
		return err
	}
	scenario.read()
	if err := scenario.metadata(job); err != nil {
		return err
	}
	scenario.remove()
	return nil
}

type dynamicScenario struct {
	ctx     context.Context
	report  *report
	warned  *warnings
	widgets dynamic.ResourceInterface
}

func (d *dynamicScenario) step(name string, object *unstructured.Unstructured, err error) {
	if object == nil || err != nil {
		d.report.step(name, nil, err)
	} else {
		d.report.step(name, object, err)
	}
	for _, text := range d.warned.take() {
		d.report.write(fields{"step": name, "warning": text})
	}
}

func (d *dynamicScenario) write() {
	created, err := d.widgets.Create(d.ctx, widgetOf("one", fields{"copies": int64(1)}), metav1.CreateOptions{})
	d.step("create", created, err)
	_, err = d.widgets.Create(d.ctx, widgetOf("two", fields{"copies": int64(-1)}), metav1.CreateOptions{})
	d.step("create what the schema forbids", nil, err)
	_, err = d.widgets.Create(d.ctx, widgetOf("two", fields{"text": "no copies"}), metav1.CreateOptions{})
	d.step("create without what is required", nil, err)
	for _, validation := range []string{metav1.FieldValidationStrict, metav1.FieldValidationWarn, metav1.FieldValidationIgnore} {
		object := widgetOf("unknown-"+string(validation[0]+'a'-'A'), fields{"copies": int64(1), "colour": "red"})
		made, err := d.widgets.Create(d.ctx, object, metav1.CreateOptions{FieldValidation: validation})
		d.step("create with an unknown field, "+validation, made, err)
	}
	_ = unstructured.SetNestedField(created.Object, "changed", "spec", "text")
	updated, err := d.widgets.Update(d.ctx, created, metav1.UpdateOptions{})
	d.step("update", updated, err)
	_, err = d.widgets.Update(d.ctx, created, metav1.UpdateOptions{})
	d.step("update a stale copy", nil, err)
	_ = unstructured.SetNestedField(updated.Object, int64(1), "status", "copies")
	_ = unstructured.SetNestedField(updated.Object, "not through status", "spec", "text")
	status, err := d.widgets.UpdateStatus(d.ctx, updated, metav1.UpdateOptions{})
	d.step("update the status", status, err)
	for _, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.MergePatchType, `{"spec":{"copies":2}}`},
		{types.JSONPatchType, `[{"op":"replace","path":"/spec/copies","value":3}]`},
		{types.StrategicMergePatchType, `{"spec":{"copies":4}}`},
	} {
		patched, err := d.widgets.Patch(d.ctx, "one", patch.kind, []byte(patch.body), metav1.PatchOptions{})
		d.step("patch with "+string(patch.kind), patched, err)
	}
}

func (d *dynamicScenario) apply() {
	wanted := widgetOf("applied", fields{"copies": int64(1), "text": "a"})
	applied, err := d.widgets.Apply(d.ctx, "applied", wanted, metav1.ApplyOptions{FieldManager: "first"})
	d.step("apply", applied, err)
	other := widgetOf("applied", fields{"copies": int64(2)})
	_, err = d.widgets.Apply(d.ctx, "applied", other, metav1.ApplyOptions{FieldManager: "second"})
	d.step("apply against an owner", nil, err)
	applied, err = d.widgets.Apply(d.ctx, "applied", other, metav1.ApplyOptions{FieldManager: "second", Force: true})
	d.step("apply with force", applied, err)
	status := widgetOf("applied", nil)
	unstructured.RemoveNestedField(status.Object, "spec")
	_ = unstructured.SetNestedField(status.Object, int64(2), "status", "copies")
	applied, err = d.widgets.ApplyStatus(d.ctx, "applied", status, metav1.ApplyOptions{FieldManager: "first"})
	d.step("apply the status", applied, err)
}

// extract reads back what a manager applied, by the schemas that the server publishes.
func (d *dynamicScenario) extract(job *job) error {
	client, err := discovery.NewDiscoveryClientForConfig(job.config)
	if err != nil {
		return err
	}
	extractor, err := metaconfig.NewUnstructuredExtractor(client)
	if err != nil {
		return err
	}
	object, err := d.widgets.Get(d.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, manager := range []string{"first", "second", "nobody"} {
		extracted, err := extractor.Extract(object, manager)
		d.step("extract of "+manager, extracted, err)
	}
	extracted, err := extractor.ExtractStatus(object, "first")
	d.step("extract the status", extracted, err)
	return nil
}

func (d *dynamicScenario) read() {
	list, err := d.widgets.List(d.ctx, metav1.ListOptions{LabelSelector: "kind=test"})
	d.report.step("list", list, err)
	known := list.GetResourceVersion()
	for _, query := range []struct {
		name    string
		options metav1.ListOptions
	}{
		{"a name", metav1.ListOptions{FieldSelector: "metadata.name=one"}},
		{"a field that cannot be selected", metav1.ListOptions{FieldSelector: "spec.text=changed"}},
		{"a selector of no sense", metav1.ListOptions{LabelSelector: "a b"}},
		{"a limit", metav1.ListOptions{Limit: 1}},
		{"an exact version", metav1.ListOptions{ResourceVersion: known, ResourceVersionMatch: metav1.ResourceVersionMatchExact}},
		{"exactly any version", metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchExact}},
		{"a version of no sense", metav1.ListOptions{ResourceVersion: "nonsense"}},
	} {
		list, err := d.widgets.List(d.ctx, query.options)
		line := fields{"step": "list with " + query.name, "error": reasonOf(err)}
		if err == nil {
			line["items"], line["more"] = len(list.Items), list.GetContinue() != ""
		}
		d.report.write(line)
	}
}

func (d *dynamicScenario) metadata(job *job) error {
	client, err := metadata.NewForConfig(job.config)
	if err != nil {
		return err
	}
	heads := client.Resource(widgets.WithResource("widgets")).Namespace(job.namespace)
	head, err := heads.Get(d.ctx, "one", metav1.GetOptions{})
	d.report.step("get the metadata", head, err)
	patched, err := heads.Patch(d.ctx, "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"by":"metadata"}}}`), metav1.PatchOptions{})
	d.report.step("patch the metadata", patched, err)
	list, err := heads.List(d.ctx, metav1.ListOptions{})
	d.report.step("list the metadata", list, err)
	err = client.Resource(corev1.SchemeGroupVersion.WithResource("nothings")).Namespace(job.namespace).Delete(d.ctx, "one", metav1.DeleteOptions{})
	d.report.step("delete what is not served", nil, err)
	return nil
}

func (d *dynamicScenario) remove() {
	foreground := metav1.DeletePropagationForeground
	d.step("delete", nil, d.widgets.Delete(d.ctx, "applied", metav1.DeleteOptions{PropagationPolicy: &foreground}))
	nonsense := metav1.DeletionPropagation("Nonsense")
	d.step("delete in no sense", nil, d.widgets.Delete(d.ctx, "one", metav1.DeleteOptions{PropagationPolicy: &nonsense}))
	d.step("delete all", nil, d.widgets.DeleteCollection(d.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "kind=test"}))
	_, err := d.widgets.Get(d.ctx, "one", metav1.GetOptions{})
	d.step("get what was deleted", nil, err)
}

func widgetOf(name string, spec fields) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: fields{"spec": map[string]any(spec)}}
	object.SetGroupVersionKind(widgets.WithKind("Widget"))
	object.SetName(name)
	object.SetLabels(map[string]string{"kind": "test"})
	return object
}

// warnings collects the warnings of a server.
type warnings struct {
	mutex sync.Mutex
	texts []string
}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, code int, agent, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.texts = append(w.texts, fmt.Sprintf("%d %s %s", code, agent, text))
}

func (w *warnings) take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}
