/** Words in names of time zones that are not capitalized: acronyms and joined words. */
const words: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'ACT CET CHAT CST6CDT EET EST EST5EDT GB GMT HST IN LHI MET MST MST7MDT NSW NZ PRC PST8PDT ROC ROK SU UCT US UTC W WET ' +
    'BajaNorte BajaSur ComodRivadavia DeNoronha EasterIsland'
  )
    .split(' ')
    .map((word) => [word.toLowerCase(), word]),
);

/**
 * True for a name of the IANA time zone database in its own letters: `Europe/Berlin`. `Intl` also accepts other letters
 * and offsets, while kube-apiserver reads the name as that of a file.
 */
export function isTimeZone(name: string): boolean {
  const listed = Intl.supportedValuesOf('timeZone').find((zone) => isSameName(zone, name));
  return listed === undefined ? isKnown(name) && name === withCase(name) : listed === name;
}

function isSameName(one: string, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase();
}

function isKnown(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // The only possible error is a RangeError for an unknown time zone.
    return false;
  }
}

/** The letters of a name that `Intl` does not list, because it is an alias. */
function withCase(name: string): string {
  return name.toLowerCase().replaceAll(/[a-z][a-z0-9]*/g, (word) => {
    const numbered = /^gmt\d+$/.test(word) ? word.toUpperCase() : undefined;
    return numbered ?? words[word] ?? word.charAt(0).toUpperCase() + word.slice(1);
  });
}
