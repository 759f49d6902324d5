import { createTestEnvironment } from '@keelson/envtest';

/**
 * A test program with a control plane from `KUBEBUILDER_ASSETS`. It prints the address and runs until it is killed.
 */
const environment = await createTestEnvironment({ use: 'binaries', controllers: ['namespace'] });
console.log(environment.admin.cluster.server);
