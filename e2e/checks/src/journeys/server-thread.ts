import { parentPort } from 'node:worker_threads';
import { createApiServer } from '@keelson/apiserver';

const server = await createApiServer();
const metadata = { namespace: 'default', name: 'walk' };
server.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
parentPort?.postMessage(server.url);
