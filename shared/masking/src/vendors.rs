//! Names of services whose credentials have no shape of their own: a random token right behind such a name is
//! taken for its credential.

/// Lower-case names; matched anywhere in a word, in any case.
pub(crate) const VENDORS: &str = "
abyssale airbyte appointedd  bittrex bombora browserbase cexio civo clientary cockroachlabs companyhub configcat cosmic
daytona demio dfuse dotmailer eagleeye exoscale feedly forgejo ftrack gitea gocertify holistic hypersign
infomaniak influx kagi lighton leanplum lightspeed looker message-bird mrticktock nicejob
new-york-times newyorktimes numbersapi onewater ovh photoroom pollster privateai qubit retell rownd scalingo sherpa sigmate
smartmail spectral storyly supportly tavily userly valtown verifly voyageai vyper webly wit.ai xendit xsellco yieldly zai
zipify zulipchat
abuseipdb accuweather adafruit adobe adzuna agora aha.io airbrake airship airtable airvisual aiven akamai
alchemy alegra algolia alibaba aliyun alienvault amadeus ambee amplitude anthropic anypoint apideck apiflash apify
apilayer apimatic apitemplate apollo appcues appdynamics appfollow appoptics appveyor aptible arcgis artifactory asana
assemblyai atera atlassian auth0 autodesk autoklose aviationstack avaza aws axonaut axiom aylien ayrshare azure backblaze
baidu bannerbear baremetrics baseten basecamp beamer beebole bettertest betterstack billomat bitbar bitbucket bitfinex
bitly bitmex blazemeter blitapp blocknative bombbomb boostnote borgbase box.com braintree brandfetch brevo
brightcove browserstack browshot bscscan budibase bugherd bugsnag buildkite bulksms buttercms bynder caflou calendarific
calendly campayn canny capsulecrm captaindata carboninterface cashfree caspio censys cerebras chartmogul chatbot chatfuel
checkly checkmarx checkout checkvist cicero circleci clarifai clearbit clerk clickhelp clickhouse clicksend clickup
cliengo clockify clockwork closecrm cloudant cloudconvert cloudelements cloudflare cloudimage cloudinary cloudmersive
cloudsmith cloverly codacy codeclimate codecov codemagic codequiry cohere coinapi coinbase coinlayer coinlib confluent
contentful contentstack convertapi convertkit couchbase coveralls crowdin crowdstrike cryptocompare currencycloud
currencyfreaks currencylayer currencyscoop currentsapi customerio cyberark d7network dailyco dandelion databento databox
databricks datadog datagov dbtcloud deepai deepgram deepl deepseek delighted deno deputy descope detectify diffbot
digicert digitalocean discogs discord disqus ditto dnsimple docparser documo docusign doppler dotdigital
drata dronahq droneci dropbox duffel duply dwolla dynalist dynatrace dyspatch easypost edamam edenai 
elasticemail elevenlabs enablex endorlabs enigma envoy eraser etherscan ethplorer etsy eventbrite everhour exchangerate
expedia extractorapi facebook faceplusplus fastforex fastly fauna feedier fetchrss fibery figma fileio
finage financialmodelingprep findl finicity finnhub fireblocks firebase fireworks fixerio flatio fleetbase flexport flickr
flightapi flightaware flightlabs flightstats fluidstack flutterwave fly.io flyio formbucket formcraft formio formsite
foursquare frameio freshbooks freshdesk freshworks fulcrum fullcontact fullstory geckoboard gemini gengo geoapify geocode
geocodify geocodio geoipify getresponse getgeoapi giphy github gitlab gitter glassnode gocanvas gocardless godaddy
goodreads grafana graphcms graphhopper groovehq groq gtmetrix gumroad gusto gyazo hackerone happyscribe
harness harvest hasura heroku hellosign helpcrunch helpscout hereapi hetzner hiveage holidayapi honeybadger honeycomb
hootsuite html2pdf hubspot huggingface humanity hunter.io hybiscus hypertrack ibm iconfinder iexapis iexcloud imagekit
imagga imgbb imgix imgur impala infobip infracost infura insightly instabot instagram instamojo integromat intercom
interseller intrinio invoiceocean ip2location ipapi ipdata ipgeolocation ipify ipinfo ipquality ipstack iterable
jfrog jira jotform jumpcloud jupiterone juro kaggle kairos kanbantool keen.io keenio kickbox klaviyo klipfolio knapsackpro
kontent kraken kucoin kylas lacework langfuse langsmith languagelayer lark lastfm launchdarkly leadfeeder lemlist
lemonsqueezy lendflow lexigram linkedin linkpreview linode litellm liveagent livestorm loadmill locationiq loggly
loginradius logzio logdna lokalise loyverse lunchmoney madkudu magicbell mailboxlayer mailchimp mailerlite mailgun
mailjet mailmodo mailsac mailtrap mandrill mapbox mapquest marketstack mattermost mavenlink maxmind meaningcloud
mediastack meilisearch meistertask meraki mesibo messagebird metaapi metabase metrilo mezmo miro mistral
mixmax mixpanel mockaroo monday monkeylearn moonclerk moosend moralis mux myfreshworks myintervals nasdaq netcore
nethunt netlify netsuite neutrino newrelic new_relic newsapi newscatcher nexmo nexus nftport ngrok nicereply nightfall
nimble noticeable notion nozbe npm nuget numverify nutritionix nvidia nylas nytimes oanda okta omnisend onedesk onelogin
onepagecrm onesignal onfleet onfido oopspam openai opencage openrouter openuv openvpn openweather opsgenie optimizely
 overloop owlbot packagecloud pagarme pagerduty pandadoc pandascore paperform paralleldots parsehub parseur
partnerstack pastebin paydirt paymo paymongo paypal paystack pdflayer pdfshift pendo peopledatalabs pepipost percy
perplexity persona pinata pinecone pingdom pinterest pipedream pipedrive pivotal pixabay plaid planetscale planview
planyo plivo podio pollsapi poloniex polygon portainer positionstack postageapp posthog postman postmark
powrbot prefect prismic prodpad prospectcrm proxycrawl pubnub pulumi purestake pushbullet pusher pypi qase qdrant qiita
qualaroo qualtrics qubole quickbase quickbooks quicknode rapid7 rapidapi railway rawg raygun razorpay
reachmail readme.io rebrandly recharge recurly reddit refiner rentman repairshopr replicate replyio requestfinance
restpack retool rev.ai ringcentral ritekit roaring robinhood rocketreach rollbar rootly route4me rubygems runpod
runrunit salesblink salesflare salesforce salesloft salesmate sanity satismeter saucelabs scaleway scalr scrapeowl
scraperapi scraperbox scrapestack scrapfly scrapingant scrapingbee screenshotapi screenshotlayer scrutinizer sendbird
securitytrails selectpdf semaphore sendgrid sendinblue sentiment sentry serphouse serpapi serpstack servicenow
sheety sherpadesk shipday shippo shodan shopify shortcut shortio shotstack shutterstock signable signalwire
signaturit signupgenius sigopt simfin simplesat simplynoted simvoly sinch sirv siteleaf skrapp skybiometry slack
smartling smartsheet smartystreets smooch snipcart snowflake snyk softlayer solarwinds sonar sourcegraph sparkpost
speechtext splunk spoonacular sportsmonk spotify square squarespace stability stackhawk stackpath statsig statuscake
statuspage statuspal stitchdata stockdata storecove stormboard stormglass storyblok storychief strapi strava streak
stripe stripo stytch sugester sumologic sumo_logic supabase supernotes surveyanyplace surveybot surveymonkey
surveysparrow survicate swell.io swiftype sysdig tableau tailscale tallyfy tatum taxjar teamgate teamcity teamwork
technicalanalysis tefter telegram teletype telnyx terraform textmagic theoddsapi thinkific thousandeyes thycotic
ticketmaster tickettailor tiingo timecamp timezoneapi tines tmetric todoist toggl tokeet tomorrowio tomtom
tradier transferwise travelpayouts travis trello turnstile twelvedata twilio twist.com twitch twitter tyntec typeform
typetalk ubidots uclassify unifyid unplugg unsplash upcdatabase uplead uploadcare upstash uptimerobot upwave urlscan
userflow userstack vagrant vatlayer vbout vercel verifier verimail veriphone versioneye viewneo vimeo virustotal
visualcrossing voiceflow voicegain vonage voodoosms vouchery vpnapi vultr vyte wakatime walkscore weatherbit weatherapi
weatherstack web3storage webex webflow weglot webscraper webscraping websitepulse weightsandbiases wandb wepay
whatsapp whoxy wistia wiz.io woocommerce wordpress workday worksnaps workos workstack worldcoinindex worldweather wrike
x.ai xata xero yandex yelp youneedabudget youtube zapier zendesk zenrows zenscrape zenserp zeplin zerobounce zerotier
zipapi zipbooks zipcodeapi zipcodebase zoho zonkafeedback zoom zulip
";

/// The names, one by one.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    VENDORS.split_ascii_whitespace()
}
