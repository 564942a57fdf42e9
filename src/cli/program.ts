import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode } from '../domain/reason.ts';
import { VERSION_AND_COMMIT } from '../version.ts';
import { explain } from './explain.ts';

const program = new Command('stoa')
  .description('An account and content service. Settings are environment variables; see .env.example.')
  .version(VERSION_AND_COMMIT)
  .showHelpAfterError();

// A program that reads no further, such as `head`, is no failure of a command, and ends no work half-way. A backup or
// an export of which not all was read fails by itself.
program.hook('preAction', (_, command) => {
  if (command.name() === 'serve') return;
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error) => {
      if (!hasCode(error, 'EPIPE')) throw error;
    });
});

program
  .command('serve')
  .description('serve the HTTP interface until a signal says stop')
  .action(async () => {
    // The settings are read before the rest is loaded, so that a wrong one is reported at once.
    const config = loadConfig();
    await (await import('./serve.ts')).serve(config);
  });

program
  .command('migrate')
  .description('bring the database to the schema of this version, and say what was done')
  .option('--plan', 'say what would be done and what it blocks, and change nothing')
  .option('--json', 'print the plan as one JSON object a line')
  .action(async ({ plan, json }) => {
    if (json && !plan)
      throw new OperatorError('--json prints a plan, and needs --plan. Nothing was changed.');
    if (plan) await (await import('./migrate-plan.ts')).printPlan(loadConfig(), json === true);
    else await (await import('./migrate.ts')).migrateDatabase(loadConfig());
  });

program
  .command('doctor')
  .description('look for what is wrong with the settings, the data and the service, and say what to do')
  .option('--json', 'print one JSON object a line')
  .option('--repair', 'first mend what can be mended without losing anything, and say what was done')
  .addHelpText(
    'after',
    '\nWithout --repair it changes nothing in the database. Exit code 1: something is wrong, or was not mended.',
  )
  .action(async ({ json, repair }) => {
    const options = { asJson: json === true, repairs: repair === true };
    process.exitCode = await (await import('./doctor.ts')).doctor(loadConfig, options);
  });

const admin = program.command('admin').description('manage accounts from the machine that holds the data');

admin
  .command('create')
  .description('make an account with the role admin; asks for what is not given')
  .option('--username <name>', 'user name')
  .option('--email <address>', 'e-mail address')
  .addHelpText('after', '\nThe password is asked for, or read from standard input where that is no terminal.')
  .action(async (given) => (await import('./admin.ts')).createAdmin(loadConfig(), given));

admin
  .command('link')
  .description('print a link to the console that makes the first admin')
  .action(async () => (await import('./admin.ts')).printSetupLink(loadConfig()));

admin
  .command('role')
  .description('give an account a role: member, editor or admin')
  .argument('<account>', 'user name or e-mail address')
  .argument('<role>', 'member, editor or admin')
  .action(async (account, role) => (await import('./admin.ts')).giveRole(loadConfig(), account, role));

admin
  .command('disable')
  .description('end all sessions of an account and refuse its logins')
  .argument('<account>', 'user name or e-mail address')
  .action(async (account) => (await import('./admin.ts')).setDisabled(loadConfig(), account, true));

admin
  .command('enable')
  .description('let a disabled account log in again')
  .argument('<account>', 'user name or e-mail address')
  .action(async (account) => (await import('./admin.ts')).setDisabled(loadConfig(), account, false));

admin
  .command('reset-second-factor')
  .description('remove all second factors of an account: authenticator app, passkeys and recovery codes')
  .argument('<account>', 'user name or e-mail address')
  .addHelpText('after', '\nThe password stays, and so do the sessions. Make sure first who asks for it.')
  .action(async (account) => (await import('./admin.ts')).resetSecondFactor(loadConfig(), account));

admin
  .command('reset-password')
  .description('give an account whose owner forgot the password a new one, and end its sessions')
  .argument('<account>', 'user name or e-mail address')
  .addHelpText(
    'after',
    '\nWith PUBLIC_URL it prints a link for the owner, which works once. Without, it asks for the password, or reads it from standard input where that is no terminal.',
  )
  .action(async (account) => (await import('./reset-password.ts')).resetPassword(loadConfig(), account));

const users = program.command('users').description('bring accounts in from elsewhere, or out');

users
  .command('import')
  .description('make accounts of the lines of a file, with the password hashes that they have')
  .argument('<file>', 'one JSON object a line; - for standard input')
  .addHelpText(
    'after',
    '\nLines that break a rule are reported, and all others are imported. An import can be run again. docs/operations.md has the form.',
  )
  .action(async (file) => (await import('./users-import.ts')).importUsers(loadConfig(), file));

users
  .command('export')
  .description('write all accounts into a new file, in the form that import reads')
  .argument('<file>', 'a file that does not exist yet; - for standard output')
  .addHelpText('after', '\nThe file has the hashes of all passwords: keep it as you keep a backup.')
  .action(async (file) => (await import('./users-export.ts')).exportUsers(loadConfig(), file));

const content = program.command('content').description('bring content items in from files, or out');

content
  .command('import')
  .description(
    'make content items of Markdown files and lines of NDJSON; run again, change those that changed',
  )
  .argument('<path>', 'a folder, or a file that ends in .md, .markdown, .ndjson or .jsonl')
  .option('--author <account>', 'user name or e-mail address of the author of all items')
  .option(
    '--source <name>',
    'a name for the folder or file, under which later imports know it wherever it is',
  )
  .addHelpText(
    'after',
    '\nWhat breaks a rule is reported with file, line and reason, and all else is imported. An import can be run again. docs/operations.md has the form.',
  )
  .action(async (path, options) =>
    (await import('./content-import.ts')).importContent(loadConfig(), path, options),
  );

content
  .command('export')
  .description('write all content items as Markdown files, or as lines of NDJSON')
  .argument(
    '[path]',
    'a new folder, or that of an earlier export, for Markdown, or a new file that ends in .ndjson or .jsonl; standard output if left out',
  )
  .addHelpText(
    'after',
    '\nIt has items that are drafts and what only members may read, and nothing of the trash. NDJSON also has drafts beside published items; Markdown leaves them out.',
  )
  .action(async (path) => (await import('./content-export.ts')).exportContent(loadConfig(), path));

program
  .command('audit')
  .description('show security events, newest last')
  .option('--event <name>', 'only events of this name, such as sign_in_failed')
  .option('--account <name>', 'only events about this account, by user name or e-mail address')
  .option('--limit <n>', 'how many of the latest events', '100')
  .action(async (wanted) => (await import('./audit.ts')).printAudit(loadConfig(), wanted));

program
  .command('move')
  .description('copy everything into another, empty database, and prove that nothing was lost')
  .requiredOption('--from <url>', 'the database to read: sqlite:<path> or postgres://...')
  .requiredOption('--to <url>', 'the database to fill: sqlite:<path> or postgres://...')
  .addHelpText(
    'after',
    '\nStop the servers of both first. An interrupted move continues when it is started again.',
  )
  .action(async (urls) => (await import('./move.ts')).moveDatabase(urls));

program
  .command('backup')
  .description('write everything into one compressed file, also while servers run')
  .argument('[file]', 'a file that does not exist yet; - for standard output; by default one in BACKUP_DIR')
  .addHelpText(
    'after',
    '\nThe file has all that the database has, sealed values as they are. Keep the sealing key apart from it.',
  )
  .action(async (file) => (await import('./backup.ts')).backUp(loadConfig(), file));

program
  .command('restore')
  .description('fill an empty database from a backup, and prove that nothing was lost')
  .argument('<file>', 'a file that "stoa backup" has made, on either engine')
  .option(
    '--to <url>',
    'the database to fill: sqlite:<path> or postgres://...; by default that of the service',
  )
  .addHelpText(
    'after',
    '\nStop the servers first. An interrupted restore continues when it is started again.',
  )
  .action(async (file, { to }) => (await import('./restore.ts')).restore(loadConfig(), file, to));

program
  .command('mark-restored')
  .description('make a database that another program brought back ready: it gives no id twice')
  .addHelpText(
    'after',
    '\nRun it before the first start after a restore to a moment (Litestream, pgBackRest, a standby that was behind).\nAfter "stoa restore" it is not needed.',
  )
  .action(async () => (await import('./mark-restored.ts')).markRestoredDatabase(loadConfig()));

const keys = program
  .command('keys')
  .description('manage the keys that sign access tokens, and the key that seals them');

keys
  .command('rotate')
  .description('sign with a new key from now on; tokens of the old ones stay valid until they expire')
  .action(async () => (await import('./keys.ts')).rotateKeys(loadConfig()));

keys
  .command('revoke')
  .description('remove a signing key now; every token that it signed is refused')
  .argument('<kid>', 'its id, as /.well-known/jwks.json shows it')
  // One id of 64 begins with a dash.
  .allowUnknownOption()
  .action(async (kid) => (await import('./keys.ts')).revokeKey(loadConfig(), kid));

keys
  .command('reseal')
  .description(
    'seal signing keys and secrets in the database under a new key; copy the old key first: earlier backups need it',
  )
  .option(
    '--to <file>',
    'file of the new key, which is made where it does not exist; needed when the key comes from a setting',
  )
  .action(async ({ to }) => (await import('./reseal.ts')).reseal(loadConfig(), to));

program
  .command('sessions')
  .description('manage the sessions of accounts')
  .command('end')
  .description('log an account out everywhere, or everybody, programs too; it may log in again')
  .argument('[account]', 'user name or e-mail address')
  .option('--all', 'the sessions of all accounts')
  .action(async (account, { all }) =>
    (await import('./sessions.ts')).endSessions(loadConfig(), account, all === true),
  );

program
  .command('openapi')
  .description('print the OpenAPI document of the interface')
  .action(async () => {
    process.stdout.write(await (await import('./openapi.ts')).generateOpenapi());
  });

try {
  await program.parseAsync();
} catch (error) {
  // Threads that were started must not keep the process alive.
  process.stderr.write(`${explain(error)}\n`, () => process.exit(1));
}
