import { readDefinition, type Definition } from '@keelson/example-support';

/** The CustomResourceDefinition in `crd.yaml`. */
export const recipeDefinition: Definition = readDefinition(new URL('../crd.yaml', import.meta.url));
