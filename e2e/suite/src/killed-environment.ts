import { createTestEnvironment } from '@keelson/envtest';

/** A test process with a control plane of its own from `KUBEBUILDER_ASSETS`, whose address it prints. It runs until it is killed. */
const environment = await createTestEnvironment({ use: 'binaries', controllers: ['namespace'] });
console.log(environment.admin.cluster.server);
