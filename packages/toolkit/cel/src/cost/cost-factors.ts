/** The cost of reading one character of a string. */
export const perCharacter = 0.1;

/** The cost of one character of a regular expression, for each unit of the matched string. */
export const perPatternCharacter = 0.25;

/** The cost of creating a list in a call, without its items. */
export const allocation = 11;

/** The cost of an authorization check. */
export const authorizationCheck = 350_000;

/** The cost of parsing a selector into requirements, each of which needs at least two characters. */
export function selectorCost(length: number): number {
  const requirements = Math.ceil(length * 0.5) * 50;
  return listCost + Math.ceil(length * perCharacter) + requirements;
}

/** The cost of a list or map literal, without its elements. */
export const listCost = 10;
export const mapCost = 30;

/** The cost of a message literal, without its fields. */
export const messageCost = 40;
