/** The version of an object, and the one to which it is converted. */
export interface VersionPair {
  readonly from: string;
  readonly to: string;
}
