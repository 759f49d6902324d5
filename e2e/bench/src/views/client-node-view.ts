import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { PODS_PATH } from '../servers/pod-stream.ts';
import type { LiveView, LiveViewOptions } from './live-view.ts';

export function kubeConfig(server: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'bench', server, skipTLSVerify: true }],
    users: [{ name: 'bench' }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  });
  return config;
}

function configFor({ server, tls }: LiveViewOptions): KubeConfig {
  if (server.access === undefined) return kubeConfig(tls ? server.tlsUrl : server.url);
  const config = new KubeConfig();
  config.loadFromFile(server.access.kubeconfig);
  return config;
}

/** Uses makeInformer as the README of client-node shows it. */
export function clientNodeView(options: LiveViewOptions): LiveView {
  const config = configFor(options);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, PODS_PATH, () => api.listPodForAllNamespaces());
  const onEvent = (pod: V1Pod): void => options.onEvent(pod.metadata ?? {});
  for (let i = 0; i < options.handlers; i++) {
    // A closure for each handler, because an emitter stores the same callback only once.
    for (const type of ['add', 'update', 'delete'] as const)
      informer.on(type, (pod) => onEvent(pod));
  }
  informer.on('error', () => {
    // Restarts the informer after the end of a watch, as the README does.
    void informer.start();
  });
  return {
    start: () => informer.start(),
    size: () => informer.list().length,
  };
}
