import type { Server } from './cluster.ts';

/** The server that `npm run e2e:upstream` chose: kube-apiserver with `--real`. */
export function serverOf({ KEELSON_UPSTREAM_ASSETS = '' }: NodeJS.ProcessEnv): Server {
  return KEELSON_UPSTREAM_ASSETS === '' ? 'memory' : 'kube-apiserver';
}
