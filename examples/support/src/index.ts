/** Code that the examples share. Only examples import it. */
export { definitionOf, type Definition, type DefinitionOptions } from './definition.ts';
export { openCluster, type ExampleCluster } from './example-cluster.ts';
export { install } from './install.ts';
export { readDefinition } from './read-definition.ts';
export { reviewBy, type Reviewed } from './review.ts';
export { runExample, type Example } from './run-example.ts';
export { startExample, type StartedExample } from './start-example.ts';
export { until, type UntilOptions } from './until.ts';
