import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { Definition } from './definition.ts';

/** The custom resource definition of a YAML file. */
export function readDefinition(file: URL): Definition {
  return load(readFileSync(file, 'utf8')) as Definition;
}
