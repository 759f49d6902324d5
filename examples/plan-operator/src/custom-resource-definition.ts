import { readDefinition, type Definition } from '@keelson/example-support';

/** The CustomResourceDefinition in `crd.yaml`. */
export const instanceDefinition: Definition = readDefinition(
  new URL('../crd.yaml', import.meta.url),
);
