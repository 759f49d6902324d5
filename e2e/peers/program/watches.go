package main

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// runWatch follows ConfigMaps with the watches that client-go has beside informers: a RetryWatcher
// from the version of a list, and UntilWithSync for an object called "last".
func runWatch(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list, err := client.CoreV1().ConfigMaps(job.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for index := range list.Items {
		line := eventOf("add", &list.Items[index])
		line["initial"] = true
		job.report.write(line)
	}
	lists := listerWatcher(client, job.namespace)
	retrying, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, lists)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		reportWatch(job.report, retrying)
	}()
	job.report.write(fields{"synced": len(list.Items)})
	until, cancelUntil := context.WithTimeout(ctx, time.Minute)
	defer cancelUntil()
	seen, err := watchtools.UntilWithSync(until, lists, &corev1.ConfigMap{}, nil, isLast)
	if err != nil {
		return err
	}
	job.report.write(fields{"until": metaOf(seen.Object).GetName(), "as": string(seen.Type)})
	ignoreAsked(job)
	<-ended
	job.report.write(fields{"ended": true})
	return nil
}

func listerWatcher(client kubernetes.Interface, namespace string) *cache.ListWatch {
	maps := client.CoreV1().ConfigMaps(namespace)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return maps.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return maps.Watch(ctx, options)
		},
	}
}

func reportWatch(report *report, watched watch.Interface) {
	names := map[watch.EventType]string{watch.Added: "add", watch.Modified: "update", watch.Deleted: "delete"}
	for event := range watched.ResultChan() {
		switch {
		case names[event.Type] != "":
			report.write(eventOf(names[event.Type], event.Object))
		case event.Type == watch.Error:
			report.write(fields{"failed": reasonOf(apierrors.FromObject(event.Object))})
		}
	}
}

func isLast(event watch.Event) (bool, error) {
	if event.Type == watch.Error {
		return false, errors.New("an informer gave an error")
	}
	return metaOf(event.Object).GetName() == "last", nil
}
