/** The form, fetched behind the shell: its fields are a third of the app. */
export { SubmitForm as default } from '@tarsy/ui';
