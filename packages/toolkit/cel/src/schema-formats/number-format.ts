/** Removes spaces and dashes from an ISBN. Go's `\s` has only spaces of ASCII, without the vertical tab. */
function bareIsbn(text: string): string {
  return text.replaceAll(/[\t\n\f\r -]/g, '');
}

export function isIsbn10(text: string): boolean {
  const bare = bareIsbn(text);
  if (!/^\d{9}[\dX]$/.test(bare)) return false;
  const digits = Array.from(bare, (digit) => (digit === 'X' ? 10 : Number(digit)));
  return digits.reduce((sum, digit, index) => sum + digit * (index + 1), 0) % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const bare = bareIsbn(text);
  if (!/^\d{13}$/.test(bare)) return false;
  return (
    Array.from(bare, Number).reduce((sum, digit, index) => sum + digit * (index % 2 ? 3 : 1), 0) %
      10 ===
    0
  );
}

/** The card issuers of kube-apiserver, by the first digits and the length. */
const issuers =
  /^(4\d{12}(\d{3})?|5[1-5]\d{14}|6(011|5\d\d)\d{12}|3[47]\d{13}|3(0[0-5]|[68]\d)\d{11}|(2131|1800|35\d{3})\d{11})$/;

/** True for a card number with a valid check digit. Only digits count. */
export function isCreditCard(text: string): boolean {
  const bare = text.replaceAll(/\D/g, '');
  if (!issuers.test(bare)) return false;
  const sum = Array.from(bare, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2))
    .reduce((total, digit) => total + (digit > 9 ? digit - 9 : digit), 0);
  return sum % 10 === 0;
}
