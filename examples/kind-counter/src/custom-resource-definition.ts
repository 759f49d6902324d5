import { readDefinition, type Definition } from '@keelson/example-support';

/** What `kubectl apply -f crd.yaml` installs. */
export const tallyDefinition: Definition = readDefinition(new URL('../crd.yaml', import.meta.url));
