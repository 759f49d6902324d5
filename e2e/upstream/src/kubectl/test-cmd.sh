# Runs the functions of Kubernetes' test/cmd, as hack/make-rules/test-cmd.sh does once its servers run.
# The working folder has the files of Kubernetes; SECURE_API_PORT is the port of the API server.
set -o errexit
set -o nounset
set -o pipefail

export KUBE_ROOT="${PWD}"
source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh

CONTEXT=test
kubectl config set-credentials test-admin --token admin-token
kubectl config set-cluster local --insecure-skip-tls-verify --server "https://127.0.0.1:${SECURE_API_PORT}"
kubectl config set-context "${CONTEXT}" --user test-admin --cluster local
kubectl config use-context "${CONTEXT}"
kubectl create -f - <<'END'
{
  "kind": "Node",
  "apiVersion": "v1",
  "metadata": { "name": "127.0.0.1", "annotations": { "save-managers": "true" } },
  "status": { "capacity": { "memory": "1Gi" } }
}
END
export SUPPORTED_RESOURCES=("*")
runTests
