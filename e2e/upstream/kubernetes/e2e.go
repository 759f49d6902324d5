// Package kubernetes requires the module whose end-to-end tests are compiled here. The import keeps what they need in go.sum.
package kubernetes

import _ "k8s.io/kubernetes/test/e2e"
