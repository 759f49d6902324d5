import { readDefinition, type Definition } from '@keelson/example-support';

/** What `kubectl apply -f crd.yaml` installs. */
export const configMapGeneratorDefinition: Definition = readDefinition(
  new URL('../crd.yaml', import.meta.url),
);
