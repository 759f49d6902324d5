import {
  checkDns1035Label,
  checkLabelValue,
  checkDnsLabel,
  checkQualifiedName,
  checkSubdomain,
  type NameCheck,
} from '../../schema-formats/name-syntax.ts';
import { hasFormat } from '../../schema-formats/string-format.ts';
import type { CelType } from '../../types/cel-type.ts';
import { formatType, type Overload, overload } from '../../types/function-declaration.ts';
import { EvaluationError } from '../../values/evaluation-error.ts';
import { LibraryValue } from '../../values/value.ts';
import { Optional } from '../../values/optional.ts';
import { WebAddress } from '../../values/addresses/url.ts';

/** A named format that strings can be validated against. */
class NamedFormat extends LibraryValue {
  readonly name: string;
  readonly check: NameCheck;
  /** The length of its regular expression, which determines the cost of a validation. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, check: NameCheck) {
    super();
    this.name = name;
    this.check = check;
    this.patternSize = patternSize;
  }

  readonly goType = 'cel.Format';
  readonly native = undefined;

  get type(): CelType {
    return formatType;
  }

  override toString(): string {
    return this.name;
  }
}

const formats: readonly NamedFormat[] = [
  new NamedFormat('dns1123Label', 30, checkDnsLabel),
  new NamedFormat('dns1123Subdomain', 60, checkSubdomain),
  new NamedFormat('dns1035Label', 30, checkDns1035Label),
  new NamedFormat('qualifiedName', 60, checkQualifiedName),
  new NamedFormat('dns1123LabelPrefix', 30, asPrefix(checkDnsLabel)),
  new NamedFormat('dns1123SubdomainPrefix', 60, asPrefix(checkSubdomain)),
  new NamedFormat('dns1035LabelPrefix', 30, asPrefix(checkDns1035Label)),
  new NamedFormat('labelValue', 40, checkLabelValue),
  new NamedFormat('uri', 1103, checkUri),
  new NamedFormat('uuid', 70, unless('uuid', 'does not match the UUID format')),
  new NamedFormat('byte', 84, unless('byte', 'invalid base64')),
  new NamedFormat('date', 71, unless('date', 'invalid date')),
  new NamedFormat('datetime', 71, unless('date-time', 'invalid datetime')),
];

/** The format functions. `format.dns1123Label().validate(text)` returns the errors as an optional list. */
export const formatFunctions: readonly Overload[] = [
  ...formats.map((format) => overload(`format.${format.name}(): Format`, () => format)),
  overload('format.named(string): optional<Format>', (name: string) =>
    Optional.of(formats.find((format) => format.name === name)),
  ),
  overload(
    'Format.validate(string): optional<list<string>>',
    ({ check }: NamedFormat, text: string) => {
      const problems = check(text);
      return problems.length === 0 ? Optional.none : Optional.of(problems);
    },
  ),
];

export function patternSizeOf(format: unknown): number {
  return format instanceof NamedFormat ? format.patternSize : 0;
}

/** Accepts a dash at the end, because a prefix is followed by more characters. */
function asPrefix(check: NameCheck): NameCheck {
  return (text) => check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

function unless(format: string, problem: string): NameCheck {
  return (text) => (hasFormat(text, format) ? [] : [problem]);
}

function checkUri(text: string): string[] {
  try {
    void new WebAddress(text);
    return [];
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return [error.message.replace(/^URL parse error during conversion from string: /, '')];
  }
}
