/** What a read has left out, because its text has more bytes than it was told to read. */
export interface TooLong {
  readonly bytes: number;
}
