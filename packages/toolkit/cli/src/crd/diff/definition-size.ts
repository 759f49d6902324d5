import { CliError } from '../../errors.ts';

/** More nested objects and lists are refused; a schema that an API server accepts has fewer than 200 levels. */
const MAX_LEVELS = 500;
/** The most objects, lists and scalars of a definition. The largest public definitions have some 30,000. */
const MAX_PARTS = 1_000_000;

/** Throws `SCHEMA_TOO_LARGE` for a definition that would take too long to compare, such as one with YAML aliases in a cycle. */
export function checkDefinitionSize(definition: object, name: string): void {
  let parts = 0;
  const count = (value: unknown, level: number): void => {
    parts += 1;
    if (level > MAX_LEVELS || parts > MAX_PARTS) {
      throw new CliError('SCHEMA_TOO_LARGE', { definition: name });
    }
    if (typeof value !== 'object' || value === null) return;
    for (const member of Object.values(value)) count(member, level + 1);
  };
  count(definition, 0);
}
