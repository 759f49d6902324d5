import { basename, resolve } from 'node:path';
import { CreateError } from '../errors.ts';
import { variants } from '../template/variant.ts';
import { pluralOf, type Choices } from './choices.ts';
import { checkChoice, problemOf } from './check-choices.ts';
import { checkFolder, folderProblem } from './check-folder.ts';
import type { Prompts, SelectQuestion, TextQuestion } from './prompts.ts';

/** The choices of the command line; questions give the others. */
export interface GivenChoices {
  readonly folder?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly plural?: string | undefined;
  readonly variant?: string | undefined;
}

/** The choices, and the folder of the project. */
export interface CompleteChoices {
  readonly folder: string;
  readonly choices: Choices;
}

/**
 * Asks for the choices that are not given: the folder, the group, the kind and the variant. Without prompts the variant
 * is `plain` by default, and the others are required: throws `CHOICES_MISSING`. Throws `CHOICE_INVALID` and
 * `FOLDER_NOT_EMPTY` before the first question.
 */
export async function completeChoices(
  given: GivenChoices,
  prompts: Prompts | undefined,
): Promise<CompleteChoices> {
  checkGiven(given);
  const { folder, group, kind, variant } =
    prompts === undefined ? withDefaults(given) : await ask(given, prompts);
  const { plural = pluralOf(kind) } = given;
  const name = basename(resolve(folder));
  return { folder, choices: { name, group, kind, plural, variant: variant as Choices['variant'] } };
}

function checkGiven({ folder, ...others }: GivenChoices): void {
  if (folder !== undefined) {
    // The path of an empty folder would be the working directory.
    checkChoice('name', folder === '' ? '' : basename(resolve(folder)));
    checkFolder(folder);
  }
  for (const choice of ['group', 'kind', 'plural', 'variant'] as const) {
    if (others[choice] !== undefined) checkChoice(choice, others[choice]);
  }
}

type Asked = Readonly<Record<'folder' | 'group' | 'kind' | 'variant', string>>;

function withDefaults({ folder, group, kind, variant = 'plain' }: GivenChoices): Asked {
  if (folder !== undefined && group !== undefined && kind !== undefined) {
    return { folder, group, kind, variant };
  }
  const flags = [
    ...(folder === undefined ? ['FOLDER'] : []),
    ...(group === undefined ? ['--group'] : []),
    ...(kind === undefined ? ['--kind'] : []),
  ];
  throw new CreateError('CHOICES_MISSING', { missing: flags.join(' ') });
}

async function ask(given: GivenChoices, prompts: Prompts): Promise<Asked> {
  const folder = given.folder ?? (await prompts.text(folderQuestion));
  const group = given.group ?? (await prompts.text(groupQuestion));
  const kind = given.kind ?? (await prompts.text(kindQuestion));
  const variant = given.variant ?? (await prompts.select(variantQuestion));
  return { folder, group, kind, variant };
}

const folderQuestion: TextQuestion = {
  message: 'In which folder? Its name is the name of the operator.',
  initial: 'my-operator',
  validate: (folder) => problemOf.name(basename(resolve(folder))) ?? folderProblem(folder),
};

const groupQuestion: TextQuestion = {
  message: 'In which API group? Use a domain that you own.',
  initial: 'shop.example',
  validate: problemOf.group,
};

const kindQuestion: TextQuestion = {
  message: 'Which kind?',
  initial: 'Website',
  validate: problemOf.kind,
};

const variantQuestion: SelectQuestion = {
  message: 'Which variant?',
  options: Object.entries(variants).map(([value, hint]) => ({ value, hint })),
};
