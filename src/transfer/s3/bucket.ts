/** A bucket of an S3 server, and the key to it. */
export interface Bucket {
  /** The address of the server, without a slash at its end. */
  readonly endpoint: string;
  readonly name: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The address of the bucket, which may be shown to others. */
export function nameOfBucket({ endpoint, name }: Pick<Bucket, 'endpoint' | 'name'>): string {
  return `${endpoint}/${name}`;
}

/** What the state of the backups says of the bucket. */
export function shownBucket(bucket: Bucket | undefined) {
  return bucket && { name: bucket.name, address: nameOfBucket(bucket) };
}
