import { type Definition, randomDefinition } from '../random/definition.ts';
import { decideWrite } from './decide-write.ts';
import type { Suite } from './suite.ts';

/** The path of CustomResourceDefinitions. */
export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Creates random definitions. */
export const definitions: Suite<Definition> = {
  name: 'definitions',
  cases: randomDefinition,
  async decide(sides, definition) {
    const { verdict } = await decideWrite(sides, {
      method: 'POST',
      path: `${definitionsPath}?dryRun=All`,
      object: definition,
      op: 'definition',
      question: { definition },
    });
    return [verdict];
  },
};
