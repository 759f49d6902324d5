/** An API server with one object. It writes its address to its standard output. */
import { createApiServer } from '@keelson/apiserver';

const server = await createApiServer();
const metadata = { namespace: 'default', name: 'walk' };
server.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
process.stdout.write(server.url);
