import { compareCrds, type CrdChange, type CustomResourceDefinition } from '@keelson/schema';
import { CliError } from '../../errors.ts';

type Definitions = ReadonlyMap<string, CustomResourceDefinition>;

/** A change of one definition that breaks stored objects or clients. */
export interface DefinitionChange extends CrdChange {
  /** The name of the definition, such as `widgets.shop.example`. */
  readonly definition: string;
}

/** The differences between two sets of definitions, in the order of their names. */
export interface DefinitionDifference {
  /** The names of the definitions that both sets have. */
  readonly compared: readonly string[];
  /** The names of new definitions, which break nothing. */
  readonly added: readonly string[];
  readonly changes: readonly DefinitionChange[];
}

/**
 * Compares the definitions of equal names. A removed definition is a change that breaks. Throws an `AggregateError` with a
 * `DEFINITION_INVALID` for each schema that is not one.
 */
export function compareDefinitions(before: Definitions, after: Definitions): DefinitionDifference {
  const names = [...before.keys()].toSorted();
  const errors: unknown[] = [];
  const changes = names.flatMap((definition) => {
    const [one, other] = [before.get(definition), after.get(definition)];
    try {
      const found = one && other ? changesOf(definition, one, other) : [removal];
      return found.map((change) => ({ definition, ...change }));
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  if (errors.length > 0) throw new AggregateError(errors, 'some definitions cannot be compared');
  return {
    compared: names.filter((name) => after.has(name)),
    added: [...after.keys()].filter((name) => !before.has(name)).toSorted(),
    changes,
  };
}

function changesOf(
  definition: string,
  before: CustomResourceDefinition,
  after: CustomResourceDefinition,
): readonly CrdChange[] {
  try {
    return compareCrds(before, after);
  } catch (cause) {
    // Members of a file may have types that no API server accepts.
    const reason = `cannot be compared: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new CliError('DEFINITION_INVALID', { definition, reason }, { cause });
  }
}

const removal: CrdChange = {
  path: 'metadata.name',
  reason: 'removed: the server deletes all objects with their definition',
  breaks: ['objects', 'clients'],
  cure: 'keep the definition, or delete its objects and update the clients first',
};
