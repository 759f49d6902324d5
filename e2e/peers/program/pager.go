package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

// runPager lists ConfigMaps in pages, whole and item by item. While it lists whole it asks before
// each page after the first, so that a test can expire the continue token in between.
func runPager(ctx context.Context, job *job) error {
	client, err := typedClient(job)
	if err != nil {
		return err
	}
	pages := 0
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		if pages > 0 {
			job.report.write(fields{"asks": "page", "full": options.Limit == 0})
			<-job.asked
		}
		pages++
		return client.CoreV1().ConfigMaps(job.namespace).List(ctx, options)
	})
	list.PageSize = job.options.pageSize
	whole, paginated, err := list.List(ctx, metav1.ListOptions{})
	line := fields{"whole": true, "pages": pages, "paginated": paginated, "error": reasonOf(err)}
	if err == nil {
		line["state"] = versionsIn(whole)
	}
	job.report.write(line)

	items := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().ConfigMaps(job.namespace).List(ctx, options)
	}))
	items.PageSize = job.options.pageSize
	seen := map[string]string{}
	err = items.EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		seen[metaOf(object).GetName()] = metaOf(object).GetResourceVersion()
		return nil
	})
	job.report.write(fields{"whole": false, "state": seen, "error": reasonOf(err)})
	return nil
}

func versionsIn(list runtime.Object) map[string]string {
	versions := map[string]string{}
	// Its function returns no error, so neither does the walk over a list.
	_ = meta.EachListItem(list, func(object runtime.Object) error {
		versions[metaOf(object).GetName()] = metaOf(object).GetResourceVersion()
		return nil
	})
	return versions
}
