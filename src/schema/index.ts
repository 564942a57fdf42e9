import type { Migration } from '../store/migration.ts';
import { baseline } from './0001_baseline.ts';
import { audit } from './0002_audit.ts';
import { throttle } from './0003_throttle.ts';
import { sealing } from './0004_sealing.ts';
import { nameSkeletons } from './0005_name_skeletons.ts';
import { quotas } from './0006_quotas.ts';
import { sessions } from './0007_sessions.ts';
import { personalTokens } from './0008_personal_tokens.ts';
import { mail } from './0009_mail.ts';
import { passwordResets } from './0010_password_resets.ts';
import { email } from './0011_email.ts';
import { invitations } from './0012_invitations.ts';
import { secondFactors } from './0013_second_factors.ts';
import { passkeys } from './0014_passkeys.ts';
import { ownAccount } from './0015_own_account.ts';
import { administration } from './0016_administration.ts';
import { accountClosing } from './0017_account_closing.ts';
import { pendingWords } from './0018_pending_words.ts';
import { wordIndex } from './0019_word_index.ts';
import { rowsOfAccounts } from './0020_rows_of_accounts.ts';
import { mailSources } from './0021_mail_sources.ts';
import { sessionNames } from './0023_session_names.ts';
import { links } from './0024_links.ts';
import { totpOwners } from './0025_totp_owners.ts';
import { versions } from './0026_versions.ts';
import { narrowWordRows } from './0027_narrow_word_rows.ts';
import { trash } from './0028_trash.ts';
import { contentOrder } from './0029_content_order.ts';
import { changes } from './0030_changes.ts';
import { idempotencyKeys } from './0031_idempotency_keys.ts';
import { reading } from './0032_reading.ts';
import { drafts } from './0033_drafts.ts';
import { webhooks } from './0034_webhooks.ts';
import { visibility } from './0035_visibility.ts';
import { titleWords } from './0036_title_words.ts';
import { labels } from './0037_labels.ts';
import { slugs } from './0038_slugs.ts';
import { eventTickets } from './0039_event_tickets.ts';
import { contentImports } from './0040_content_imports.ts';
import { epoch } from './0041_epoch.ts';
import { labelRenames } from './0042_label_renames.ts';
import { backups } from './0043_backups.ts';
import { setupLinks } from './0044_setup_links.ts';
import { backupsAsked } from './0045_backups_asked.ts';
import { sentBackups } from './0046_sent_backups.ts';
import { signInOrder } from './0047_sign_in_order.ts';
import { sentWhere } from './0048_sent_where.ts';
import { pagesById } from './0049_pages_by_id.ts';
import { noReadersIndex } from './0050_no_readers_index.ts';
import { waitingDrafts } from './0051_waiting_drafts.ts';
import { noScheduledIndex } from './0052_no_scheduled_index.ts';
import { toldWhenMade } from './0053_told_when_made.ts';
import { languages } from './0054_languages.ts';
import { noRemovedNames } from './0055_no_removed_names.ts';

/** All steps of the schema, oldest first. Never edit a released step. Add a new one. */
export const MIGRATIONS: readonly Migration[] = [
  baseline,
  audit,
  throttle,
  sealing,
  nameSkeletons,
  quotas,
  sessions,
  personalTokens,
  mail,
  passwordResets,
  email,
  invitations,
  secondFactors,
  passkeys,
  ownAccount,
  administration,
  accountClosing,
  pendingWords,
  wordIndex,
  rowsOfAccounts,
  mailSources,
  sessionNames,
  links,
  totpOwners,
  versions,
  narrowWordRows,
  trash,
  contentOrder,
  changes,
  idempotencyKeys,
  reading,
  drafts,
  webhooks,
  visibility,
  titleWords,
  labels,
  slugs,
  eventTickets,
  contentImports,
  epoch,
  labelRenames,
  backups,
  setupLinks,
  backupsAsked,
  sentBackups,
  signInOrder,
  sentWhere,
  pagesById,
  noReadersIndex,
  waitingDrafts,
  noScheduledIndex,
  toldWhenMade,
  languages,
  noRemovedNames,
];
