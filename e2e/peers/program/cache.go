package main

import (
	"context"
	"sort"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	fieldselector "k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byStep is the index over stepLabel.
const byStep = "step"

// runCache reports the contents of a cache of controller-runtime on request, and each event of its
// informers: ConfigMaps chosen by selectors, with an index; the metadata of Secrets; Widgets as
// unstructured objects.
func runCache(ctx context.Context, job *job) error {
	job.config.Wrap(reportRequests(job))
	cached, err := newCache(job)
	if err != nil {
		return err
	}
	if err := cached.IndexField(ctx, &corev1.ConfigMap{}, byStep, stepOf); err != nil {
		return err
	}
	for name, object := range watchedObjects() {
		informer, err := cached.GetInformer(ctx, object, cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(eventWriter(markEvents(job.report, name))); err != nil {
			return err
		}
	}
	done := make(chan error, 1)
	go func() { done <- cached.Start(ctx) }()
	if cached.WaitForCacheSync(ctx) {
		job.report.write(fields{"synced": true})
	}
	for step := range job.asked {
		if err := reportCache(ctx, job, cached, step); err != nil {
			return err
		}
	}
	err = <-done
	job.report.write(fields{"ended": true})
	return err
}

func newCache(job *job) (cache.Cache, error) {
	kinds, err := newScheme()
	if err != nil {
		return nil, err
	}
	chosen := cache.ByObject{Transform: cache.TransformStripManagedFields()}
	if chosen.Label, err = labels.Parse(job.options.labels); err != nil {
		return nil, err
	}
	if chosen.Field, err = fieldselector.ParseSelector(job.options.fields); err != nil {
		return nil, err
	}
	return cache.New(job.config, cache.Options{
		Scheme:            kinds,
		DefaultNamespaces: map[string]cache.Config{job.namespace: {}},
		ByObject:          map[client.Object]cache.ByObject{&corev1.ConfigMap{}: chosen},
	})
}

func watchedObjects() map[string]client.Object {
	secrets := &metav1.PartialObjectMetadata{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	custom := &unstructured.Unstructured{}
	custom.SetGroupVersionKind(widgets.WithKind("Widget"))
	return map[string]client.Object{"maps": &corev1.ConfigMap{}, "secrets": secrets, "widgets": custom}
}

// markEvents marks events with the informer they come from.
func markEvents(report *report, informer string) func(fields) {
	return func(line fields) {
		line["informer"] = informer
		report.write(line)
	}
}

func stepOf(object client.Object) []string { return []string{object.GetLabels()[stepLabel]} }

// reportCache writes the versions that each informer holds, and the ConfigMaps that the index returns for
// a step.
func reportCache(ctx context.Context, job *job, reader client.Reader, step string) error {
	maps, indexed := &corev1.ConfigMapList{}, &corev1.ConfigMapList{}
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	custom := &unstructured.UnstructuredList{}
	custom.SetGroupVersionKind(widgets.WithKind("WidgetList"))
	state := fields{}
	for name, list := range map[string]client.ObjectList{"maps": maps, "secrets": secrets, "widgets": custom} {
		if err := reader.List(ctx, list, client.InNamespace(job.namespace)); err != nil {
			return err
		}
		state[name] = versionsIn(list)
	}
	if err := reader.List(ctx, indexed, client.InNamespace(job.namespace), client.MatchingFields{byStep: step}); err != nil {
		return err
	}
	names, managed := []string{}, 0
	for index := range indexed.Items {
		names = append(names, indexed.Items[index].Name)
		managed += len(indexed.Items[index].ManagedFields)
	}
	sort.Strings(names)
	job.report.write(fields{"state": state, "step": step, "indexed": names, "managed": managed})
	return nil
}
