package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	// stepLabel counts the states of an object, so that a test knows which of them an informer reported.
	stepLabel = "step"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// runInformer reports every event of a shared informer, and its store on request.
func runInformer(ctx context.Context, job *job) error {
	job.config.Wrap(reportRequests(job))
	informer, err := newInformer(job)
	if err != nil {
		return err
	}
	registration, err := informer.AddEventHandler(eventWriter(job.report.write))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		job.report.write(fields{"synced": len(informer.GetStore().ListKeys())})
	}
	for range job.asked {
		job.report.write(fields{"state": versionsOf(informer.GetStore())})
	}
	<-done
	job.report.write(fields{"ended": true})
	return nil
}

func newInformer(job *job) (cache.SharedIndexInformer, error) {
	switch job.options.mode {
	case "json", "protobuf":
		client, err := typedClient(job)
		if err != nil {
			return nil, err
		}
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
			informers.WithNamespace(job.namespace), informers.WithTweakListOptions(job.options.selectors))
		return factory.Core().V1().ConfigMaps().Informer(), nil
	case "dynamic":
		client, err := dynamic.NewForConfig(job.config)
		if err != nil {
			return nil, err
		}
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, job.namespace, job.options.selectors)
		return factory.ForResource(configMaps).Informer(), nil
	case "metadata":
		client, err := metadata.NewForConfig(job.config)
		if err != nil {
			return nil, err
		}
		factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, job.namespace, job.options.selectors)
		return factory.ForResource(configMaps).Informer(), nil
	}
	return nil, fmt.Errorf("no mode %q", job.options.mode)
}

func (o options) selectors(list *metav1.ListOptions) {
	list.LabelSelector = o.labels
	list.FieldSelector = o.fields
}

func typedClient(job *job) (*kubernetes.Clientset, error) {
	return kubernetes.NewForConfig(withContentType(job))
}

func withContentType(job *job) *rest.Config {
	config := rest.CopyConfig(job.config)
	config.ContentType = runtime.ContentTypeJSON
	config.AcceptContentTypes = runtime.ContentTypeJSON
	if job.options.mode == "protobuf" {
		config.ContentType = protobuf
		config.AcceptContentTypes = protobuf + "," + runtime.ContentTypeJSON
	}
	return config
}

func eventWriter(write func(fields)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			line := eventOf("add", object)
			line["initial"] = initial
			write(line)
		},
		UpdateFunc: func(before, after any) {
			line := eventOf("update", after)
			line["from"] = metaOf(before).GetLabels()[stepLabel]
			write(line)
		},
		DeleteFunc: func(object any) {
			var unknown cache.DeletedFinalStateUnknown
			if tombstone, is := object.(cache.DeletedFinalStateUnknown); is {
				unknown = tombstone
				object = tombstone.Obj
			}
			line := eventOf("delete", object)
			line["finalStateUnknown"] = unknown.Key != ""
			write(line)
		},
	}
}

func eventOf(event string, object any) fields {
	accessor := metaOf(object)
	return fields{
		"event":   event,
		"key":     accessor.GetName(),
		"step":    accessor.GetLabels()[stepLabel],
		"version": accessor.GetResourceVersion(),
	}
}

func metaOf(object any) metav1.Object {
	accessor, err := meta.Accessor(object)
	if err != nil {
		panic(errors.Join(fmt.Errorf("an informer gave %T", object), err))
	}
	return accessor
}

func versionsOf(store cache.Store) map[string]string {
	versions := map[string]string{}
	for _, object := range store.List() {
		versions[metaOf(object).GetName()] = metaOf(object).GetResourceVersion()
	}
	return versions
}
