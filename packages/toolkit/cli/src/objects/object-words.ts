import { objectNameProblem } from '@keelson/apimachinery';

/** A resource and the names of objects, as a command line gives them. */
export interface ObjectWords {
  readonly type: string;
  readonly names: readonly string[];
}

/**
 * Reads `RESOURCE NAME…` or one `RESOURCE/NAME`. Returns the problem as a text if an argument could mean another object than the
 * user named: `RESOURCE/NAME` with a further slash or name, and names that are no segment of a path.
 */
export function objectWords([word = '', ...others]: readonly string[]): ObjectWords | string {
  const [type = '', ...ofWord] = word.split('/');
  if (type === '') return 'a resource must not be empty';
  if (ofWord.length > 1) return `'${word}' must have the form RESOURCE/NAME`;
  if (ofWord.length > 0 && others.length > 0) return `'${word}' must be the only argument`;
  const names = [...ofWord, ...others];
  for (const name of names) {
    const problem = objectNameProblem(name);
    if (problem !== undefined) return `the name '${name}' ${problem}`;
  }
  return { type, names };
}
