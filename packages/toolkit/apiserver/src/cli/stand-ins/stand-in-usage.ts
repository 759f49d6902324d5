import type { StandIn } from './write-assets.ts';

const kubeApiserver = `The in-memory API server of Keelson as a stand-in for kube-apiserver. It obeys these flags:

      --secure-port int                   where to listen
      --bind-address ip                   (default 127.0.0.1)
      --cert-dir string                   has apiserver.crt and apiserver.key
      --client-ca-file string             authority of client certificates
      --token-auth-file string            users by token
      --authorization-mode strings        AlwaysAllow, RBAC or both
      --anonymous-auth                    (default true with RBAC alone)
      --service-cluster-ip-range string   (default 10.0.0.0/24)

No other flag has an effect.`;

const etcd = `A stand-in for etcd that says that it is healthy: the API server of Keelson keeps its objects in its own memory.

  --listen-client-urls 'http://127.0.0.1:2379'   where /health is served`;

/** The outputs of `--help`, in which envtest looks for the flags of a program. */
export const standInUsage: Readonly<Record<StandIn, string>> = {
  'kube-apiserver': kubeApiserver,
  etcd,
};
