/** What the examples share. They may import it; nothing else does. */
export { exampleArguments, type ExampleArguments } from './example-arguments.ts';
export { openCluster, type ExampleCluster } from './example-cluster.ts';
export { install, type Definition } from './install.ts';
export { until, type UntilOptions } from './until.ts';
