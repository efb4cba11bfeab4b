/** Shows the description of the API, and lets people try its operations. */
// As it was published: it is minified, and none of it is left out.
import library from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import 'swagger-ui-dist/swagger-ui.css';

// The page is served at `/docs/`, maybe below the prefix of a proxy.
const show = () =>
  window.SwaggerUIBundle({ url: '../openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });
document.head.append(Object.assign(document.createElement('script'), { src: library, onload: show }));
