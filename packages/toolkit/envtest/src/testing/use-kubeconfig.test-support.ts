import { createTestEnvironment } from '../index.ts';
import { useEnvironment } from './scenario.test-support.ts';

/** A test program that uses the cluster of a kubeconfig and prints what it observed. */
const [kubeconfig = ''] = process.argv.slice(2);
await using environment = await createTestEnvironment({ use: 'kubeconfig', kubeconfig });
const refused = await environment.addUser({ name: 'late' }).catch((error: unknown) => error);
const code: unknown = refused instanceof Error && Reflect.get(refused, 'code');
console.log(JSON.stringify([...(await useEnvironment(environment, { users: false })), code]));
